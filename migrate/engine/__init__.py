"""The DuckDB database of one run, and the table model that rules are written against."""
