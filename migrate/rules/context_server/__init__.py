"""The rules and the vocabulary of context-server corpora."""
