"""Transcripts -> sessions -> candidates: read what was said, once, and find what of it is worth remembering."""
