"""Records into words and files."""
