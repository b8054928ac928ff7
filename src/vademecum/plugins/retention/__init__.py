"""Memories and notes of days that are put away for their age or number."""
