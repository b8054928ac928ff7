"""Read-only SQL over views of the memory."""
