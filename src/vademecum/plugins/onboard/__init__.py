"""An interview: a few questions, so that every tool knows how to work with the person."""
