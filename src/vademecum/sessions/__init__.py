"""The life cycle of sessions, and what is derived from them: handoffs, daily notes, checkpoints."""
