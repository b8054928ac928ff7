"""The vault: Markdown truth and the only writer of it. Text is edited by spans, every write is journaled and can be undone."""
