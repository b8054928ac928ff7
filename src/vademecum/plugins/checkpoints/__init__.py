"""Checkpoints of agents' chats: the last messages of each, for resuming it, and a handoff when it is closed."""
