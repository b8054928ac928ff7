"""Surfaces of earlier systems: their routes, tools and files, over today's memory."""
