"""The vault: Markdown files, and the only code that writes them.

Edits replace spans of text; every write is journaled and can be undone.
"""
