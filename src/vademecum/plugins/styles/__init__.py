"""How to talk with the person, by context."""
