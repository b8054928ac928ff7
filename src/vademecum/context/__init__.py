"""The one value that use cases are given: :class:`vademecum.context.context.Context`. `wiring/memory.py` makes it."""
