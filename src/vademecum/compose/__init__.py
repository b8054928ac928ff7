"""Hits -> text within a budget: what a session is told at its start and at a prompt. Nothing here searches."""
