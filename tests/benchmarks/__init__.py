"""Benchmarks: print ratios and sizes measured in one run; nothing here asserts a time."""
