"""How much memory this process takes, as its person sees it."""

import contextlib
import ctypes
import mmap
import sys
from pathlib import Path


def memory_mb() -> float:
    """Return resident memory of this process, pages of the index's files included; where the system does not tell, the peak."""
    counts = _pages()
    return _mb(counts[0]) if counts else peak_mb()


def peak_mb() -> float:
    """Return the most resident memory that this process ever took; 0 on Windows, which is not asked."""
    if sys.platform == "win32":
        return 0.0
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 2**20 if sys.platform == "darwin" else peak / 2**10


def files_mb() -> float:
    """Return how much of the memory is pages of files, which the system can take back at will; 0 where it does not tell."""
    counts = _pages()
    return _mb(counts[1]) if counts else 0.0


def own_mb() -> float:
    """Return how much of the memory is nothing else."""
    return memory_mb() - files_mb()


def give_back() -> None:
    """Have the C library return what was freed to the system: glibc keeps it for what may come, 40 MB after a large index was opened.

    Does nothing where the library has no such call.
    """
    with contextlib.suppress(AttributeError, OSError, TypeError):  # no such call, no such library, no way to name it (Windows)
        ctypes.CDLL(None).malloc_trim(0)


def _pages() -> tuple[int, int] | None:
    """Return resident pages, and those of them that are of files; None where the system does not tell."""
    try:
        _, resident, of_files, *_ = Path("/proc/self/statm").read_text().split()
        return int(resident), int(of_files)
    except (OSError, ValueError):
        return None


def _mb(pages: int) -> float:
    return pages * mmap.PAGESIZE / 2**20
