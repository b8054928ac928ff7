"""Features that a permanent memory works without. Each is a folder that can be removed; docs/plugins.md says how one is made."""
