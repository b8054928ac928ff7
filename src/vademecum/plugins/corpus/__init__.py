"""A pass through all transcripts: each is read, mined and handed over."""
