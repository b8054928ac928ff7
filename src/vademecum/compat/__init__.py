"""Tools of earlier systems, over today's memory."""
