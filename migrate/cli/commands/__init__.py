"""One module a command; each holds a click command of the module's own name."""
