"""SQL statements about memory, over views that nothing can be changed through."""
