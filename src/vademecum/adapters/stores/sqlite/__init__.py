"""An index in one SQLite file with FTS5. An unknown schema is dropped, since the index can be rebuilt."""
