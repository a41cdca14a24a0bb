"""Planning: the edits of a record become one patch, its hashes, and the text of the record with the patch in it."""
