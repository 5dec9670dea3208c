"""The pure core: blocks, alignment, lineage and the token account.  No clock, no I/O, no environment."""
