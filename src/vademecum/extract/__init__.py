"""Transcripts -> sessions -> candidates: read each transcript once and find the statements worth remembering."""
