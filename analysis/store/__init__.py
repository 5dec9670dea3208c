"""Analysed sessions in one DuckDB file."""
