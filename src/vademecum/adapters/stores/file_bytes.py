"""Reads the bytes of our own files without releasing the locks of an open database."""

import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import IO, cast

#: Suffixes of our databases, and of the files that SQLite creates beside them.
_DATABASES = (".db", ".db-wal", ".db-shm", ".db-journal")
_CHUNK_BYTES = 8 << 20
_COPY = "import shutil, sys; shutil.copyfileobj(open(sys.argv[1], 'rb'), sys.stdout.buffer)"


def chunks_of(path: Path) -> Iterator[bytes]:
    """Yield a file's bytes in order, at most 8 MiB at a time.

    A database is read by another process: when a process closes any handle of a file, POSIX releases all its locks on the file,
    and without them the next program that closes the database removes the log that this process still writes to
    (https://sqlite.org/howtocorrupt.html, section 2.2).

    Raises:
        OSError: it cannot be read.
    """
    if not path.name.endswith(_DATABASES):
        with path.open("rb") as file:
            yield from iter(partial(file.read, _CHUNK_BYTES), b"")
        return
    import subprocess  # noqa: PLC0415 -- few commands read databases so

    no_window = getattr(subprocess, "CREATE_NO_WINDOW", 0)  # on Windows the helper has no console, and this must not open one
    program = [sys.executable, "-I", "-S", "-c", _COPY, str(path)]
    with subprocess.Popen(program, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, creationflags=no_window) as reader:
        yield from iter(partial(cast("IO[bytes]", reader.stdout).read, _CHUNK_BYTES), b"")
    if reader.returncode:
        raise OSError(f"{path} cannot be read.")
