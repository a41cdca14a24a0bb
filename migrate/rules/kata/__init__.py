"""The rules for kata exports."""
