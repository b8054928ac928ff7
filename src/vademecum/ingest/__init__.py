"""The ingestion pipeline: transcripts -> sessions, turns, archive, candidates."""
