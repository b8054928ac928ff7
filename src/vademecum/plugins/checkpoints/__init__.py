"""Chats of agents that can be taken up again: the last messages of each, and what is told when one is closed."""
