"""Requests into tokens with a model's own chat template and tokenizer, offline."""
