"""Zstandard, from Python itself or its backport; None where neither is."""

import sys

try:
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
except ModuleNotFoundError:  # a package that was taken away costs what needs it, not the rest
    zstd = None  # type: ignore[assignment,unused-ignore]

#: What every frame begins with.
MAGIC = b"\x28\xb5\x2f\xfd"

__all__ = ["MAGIC", "zstd"]
