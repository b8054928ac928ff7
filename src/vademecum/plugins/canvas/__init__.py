"""How a memory came about, as a drawing for Obsidian."""
