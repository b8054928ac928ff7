"""Rules shown at the tool calls of agents, and lessons from failed calls."""
