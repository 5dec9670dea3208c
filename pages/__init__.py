"""The pages of the dashboard: each picks, calls and shows."""
