"""Optional features. Each is a folder that can be removed; docs/plugins.md says how to write one."""
