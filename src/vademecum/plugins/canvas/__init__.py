"""How a memory was made, as a drawing for Obsidian."""
