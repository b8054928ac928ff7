"""Reads the bytes of our own files without releasing the locks of an open database."""

import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import IO, cast

#: Suffixes of our databases, and of the files that SQLite creates beside them.
_DATABASES = (".db", ".db-wal", ".db-shm", ".db-journal")
_CHUNK_BYTES = 8 << 20
_COPY = "import shutil, sys; shutil.copyfileobj(open(sys.argv[1], 'rb'), sys.stdout.buffer)"
#: On Windows the helper has no console, and the subprocess must not open one.
_NO_WINDOW = getattr(subprocess, "CREATE_NO_WINDOW", 0)


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
    program = [sys.executable, "-I", "-S", "-c", _COPY, str(path)]
    with subprocess.Popen(program, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, creationflags=_NO_WINDOW) as reader:
        yield from iter(partial(cast("IO[bytes]", reader.stdout).read, _CHUNK_BYTES), b"")
    if reader.returncode:
        raise OSError(f"{path} cannot be read.")
