"""Compare and set: from a plan to a repaired corpus."""
