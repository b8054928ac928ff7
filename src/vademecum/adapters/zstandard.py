"""Zstandard, from Python itself or its backport; None where neither is available."""

import sys

try:
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
except ModuleNotFoundError:  # a missing package must only affect code that needs it
    zstd = None  # type: ignore[assignment,unused-ignore]

#: First bytes of every frame.
MAGIC = b"\x28\xb5\x2f\xfd"

__all__ = ["MAGIC", "zstd"]
