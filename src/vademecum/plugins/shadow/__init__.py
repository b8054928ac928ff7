"""A comparison with another recall profile."""
