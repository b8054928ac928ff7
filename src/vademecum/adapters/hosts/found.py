"""Detects the hosts on this machine, their versions, and the conversations they have written."""

import re
import shutil
import subprocess
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from msgspec import Struct

from vademecum.adapters.stores.host_databases import MAGIC, newer_tables
from vademecum.adapters.transcripts import libraries
from vademecum.adapters.transcripts.databases import Database
from vademecum.domain.host import HostFolders
from vademecum.ports.host import Host

#: Longest wait for a host's `--version`, in seconds.
VERSION_S = 10
#: Bytes of a file's beginning that suffice to distinguish a library of conversations from a transcript.
HEAD_BYTES = 4096
_VERSION = re.compile(r"\d+(?:\.\d+)+")


class Seen(Struct, frozen=True):
    """A conversation on disk.

    Attributes:
        path: path under which it is captured. size: bytes. written_s: when it was last written, in seconds since 1970.
        problem: why it cannot be read, or an unknown part of its store; "" for none.
    """

    path: str
    size: int
    written_s: float
    problem: str = ""


def versions(hosts: Iterable[Host], search_path: str) -> Mapping[str, str]:
    """Return host -> its version, "" when it is not installed or reports none. All hosts are asked in parallel."""
    listed = list(hosts)
    with ThreadPoolExecutor(max_workers=max(1, len(listed))) as pool:
        texts = pool.map(lambda host: _version(host.program, search_path), listed)
    return {host.name: version for host, version in zip(listed, texts, strict=True)}


def _version(program: str, search_path: str) -> str:
    place = shutil.which(program, path=search_path) if program else None
    if place is None:
        return ""
    try:
        asked = subprocess.run(
            [place, "--version"], capture_output=True, timeout=VERSION_S, check=False, stdin=subprocess.DEVNULL
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    match = _VERSION.search(asked.stdout.decode("utf-8", "replace"))
    return match.group() if match else ""


def conversations(host: Host, folders: HostFolders) -> list[Seen]:
    """Return the conversations that a host has written, newest first.

    Each has the path by which it is captured. Those in a database are listed one by one.
    """
    return seen_in(path for folder, pattern in host.sessions(folders) for path in Path(folder).glob(pattern))


def seen_in(paths: Iterable[Path]) -> list[Seen]:
    """Return the conversations in these files, newest first.

    A file that is also reached through links is listed once, under its own path.
    """
    seens: list[Seen] = []
    known: set[tuple[int, int]] = set()
    for path in sorted(paths, key=lambda file: (file.is_symlink() or file.parent.is_symlink(), str(file))):
        try:
            stat = path.stat()
        except OSError:
            continue  # deleted since it was listed
        if stat.st_ino and (stat.st_dev, stat.st_ino) in known:
            continue
        known.add((stat.st_dev, stat.st_ino))
        try:
            seens += _seen(path, stat.st_size, stat.st_mtime)
        except OSError as error:
            seens.append(Seen(str(path), stat.st_size, stat.st_mtime, f"it cannot be read: {error.strerror or error}"))
    return sorted(seens, key=lambda seen: seen.written_s, reverse=True)


def _seen(path: Path, size: int, written_s: float) -> list[Seen]:
    """Return the conversations in a file.

    Those in a database have no size of their own, and share the modification time of the file.
    """
    with path.open("rb") as file:
        head = file.read(HEAD_BYTES)
    library = next((kind for kind in libraries() if kind.recognises(head, str(path))), None)
    if not head.startswith(MAGIC):
        names = [member.name for member in library.members(str(path))] if library else [""]
        return [Seen(f"{path}#{name}", 1, written_s) if name else Seen(str(path), size, written_s) for name in names]
    known = frozenset[str]().union(*(kind.generations for kind in libraries() if isinstance(kind, Database)))
    strange = newer_tables(path, known)
    if library is None:
        return [Seen(str(path), size, written_s, f"a database without any known table{_listed(strange)}")]
    members = [Seen(f"{path}#{member.name}", 1, written_s) for member in library.members(str(path))]
    newer = f"its conversations may be in tables of a newer version{_listed(strange)}"
    return [*members, Seen(str(path), size, written_s, newer)] if strange else members


def _listed(names: Iterable[str]) -> str:
    text = ", ".join(sorted(names))
    return f": {text}" if text else ""


def as_numbers(version: str) -> tuple[int, ...]:
    """Return a version as a comparable tuple of numbers."""
    return tuple(int(part) for part in re.findall(r"\d+", version))
