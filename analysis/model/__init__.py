"""The nouns of the field: frozen dataclasses without behaviour, I/O or defaults taken from the environment."""
