"""The index follows the files."""
