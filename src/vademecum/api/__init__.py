"""What a program can do with a memory: the facade `Vademecum` with its stations, and the rules that every use goes through.

A use case is a function of the context in the room it belongs to; a station only binds it (`use_case`), so its arguments and its
docstring stand once. A method with a body of its own stands in a station where it joins what no single room may know: the files
with the index, forgetting with what asked for it, an answer with the repair of the index. Nothing here heals an index or asks whether
memory is switched on: :mod:`vademecum.api.runner` does, by what the row of a verb says it needs.
"""

from vademecum.api.facade import Vademecum

__all__ = ["Vademecum"]
