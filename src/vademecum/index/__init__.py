"""Derive the index from the vault: how items are built from files, and what must be updated. No SQL here."""
