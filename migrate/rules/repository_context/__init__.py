"""The rules of repository contexts: a folder a family, a file a rule."""
