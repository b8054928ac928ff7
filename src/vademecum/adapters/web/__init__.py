"""The network, for looking up ideas: over HTTP, or made up in memory."""
