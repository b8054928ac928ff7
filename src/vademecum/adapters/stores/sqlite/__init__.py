"""An index in one SQLite file with FTS5. A schema we do not know is dropped: it can be rebuilt."""
