"""A pass through all transcripts: read, mine and hand over each."""
