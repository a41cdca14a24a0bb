"""Sweeps over one corpus: what each found, what is known, and what changed between them."""
