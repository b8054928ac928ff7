"""The origin of a memory as a drawing for Obsidian."""
