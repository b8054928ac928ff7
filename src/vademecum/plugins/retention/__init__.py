"""Archiving of memories and daily notes by age or number."""
