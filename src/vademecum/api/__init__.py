"""The Python API of a memory: the facade `Vademecum` with its stations.

A use case is a function of the context, in the package it belongs to. A station only binds it (`use_case`), so its parameters and
docstring exist once. A station has a method with a body only where that combines packages which may not know each other. Repairing the
index, and refusing work while memory is switched off, is the task of :mod:`vademecum.api.runner`, by the needs of each verb.
"""

from vademecum.api.facade import Vademecum

__all__ = ["Vademecum"]
