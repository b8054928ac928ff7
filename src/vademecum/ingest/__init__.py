"""Transcripts -> sessions, turns, archive, candidates."""
