"""What a person or another tool gets to see: one file a format, fed with results only."""
