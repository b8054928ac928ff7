"""Import from other memories, export to them, and HTTP routes for programs of earlier designs."""
