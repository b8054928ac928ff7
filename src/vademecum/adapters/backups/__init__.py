"""Backups: one file, optionally encrypted."""
