"""Where the index is kept: one folder or file for each kind of store."""
