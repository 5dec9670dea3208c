"""The analysis engine of Whymiss.  Reads, renders, aligns, explains and stores; draws nothing."""
