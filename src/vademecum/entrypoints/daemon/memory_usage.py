"""How much memory this process uses."""

import contextlib
import ctypes
import mmap
import sys
from pathlib import Path


def memory_mb() -> float:
    """Return the resident memory in MB, mapped pages of the index included; the peak where the system does not report it."""
    counts = _pages()
    return _mb(counts[0]) if counts else peak_mb()


def peak_mb() -> float:
    """Return the peak resident memory in MB; 0 on Windows."""
    if sys.platform == "win32":
        return 0.0
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 2**20 if sys.platform == "darwin" else peak / 2**10


def files_mb() -> float:
    """Return the MB of mapped file pages, which the system can reclaim at any time; 0 where it does not report them."""
    counts = _pages()
    return _mb(counts[1]) if counts else 0.0


def own_mb() -> float:
    """Return the resident memory in MB without mapped file pages."""
    return memory_mb() - files_mb()


def give_back() -> None:
    """Return freed memory to the system: glibc keeps it otherwise, 40 MB after a large index was opened.

    Does nothing with other C libraries.
    """
    with contextlib.suppress(AttributeError, OSError, TypeError):  # no malloc_trim, no libc, or Windows
        ctypes.CDLL(None).malloc_trim(0)


def _pages() -> tuple[int, int] | None:
    """Return (resident pages, mapped file pages among them); None where the system does not report them."""
    try:
        _, resident, of_files, *_ = Path("/proc/self/statm").read_text().split()
        return int(resident), int(of_files)
    except (OSError, ValueError):
        return None


def _mb(pages: int) -> float:
    return pages * mmap.PAGESIZE / 2**20
