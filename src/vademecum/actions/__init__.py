"""Rules that are told at the tool calls of agents, and what failed calls teach."""
