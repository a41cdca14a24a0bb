"""The table model of repository contexts: the script that makes its tables."""
