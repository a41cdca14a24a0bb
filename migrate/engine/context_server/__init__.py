"""The SQL of the table model of context-server corpora."""
