"""Backups: everything in one file, and restoring it."""
