"""The rules: one file each, in a folder a system; the registry that collects them."""
