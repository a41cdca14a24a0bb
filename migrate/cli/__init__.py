"""The command line: one file a command, thin. Parse, call, choose a view, return a code."""
