"""Published copies of memories: the server's side, and that of a member."""
