"""Lives of sessions and what is made of them."""
