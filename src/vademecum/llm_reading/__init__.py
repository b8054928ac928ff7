"""What a language model reads and compares."""
