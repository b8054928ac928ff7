"""What a new statement is to what is known."""
