"""Old forms of agents' memory files: NAME.md beside a folder NAME, and NAME.md.bak (IN-40).

The original design deletes them. Here they are moved, and only if the folder contains every line of them.
"""

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from msgspec import Struct

from vademecum.domain.errors import NotFound, WriteFailed


class Cleanup(Struct, frozen=True):
    """Names of old forms in a folder.

    Attributes:
        old: all their lines are in the new form.
        differing: the others, which stay.
        moved_to: target folder of the old ones.
        applied: they were moved.
    """

    old: tuple[str, ...]
    differing: tuple[str, ...]
    moved_to: str
    applied: bool


def clean_up(folder: str, apply: bool, now: datetime) -> Cleanup:
    """Find old forms in a folder; with `apply`, move those whose text is in the new form to its subfolder `.old-<day>`.

    Raises:
        NotFound: there is no such folder.
        WriteFailed: a file cannot be moved; earlier ones were.
    """
    root = Path(folder).expanduser()
    if not root.is_dir():
        raise NotFound(f"There is no folder {root}.", "Name the folder that holds a folder for each agent.")
    old = [(path, _is_taken_over(path, new)) for path, new in _old_forms(root)]
    going = [path for path, taken_over in old if taken_over]
    target = root / f".old-{now:%Y-%m-%d}"
    for path in going if apply else ():
        _move(path, target)
    names = tuple(path.name for path in going)
    differing = tuple(path.name for path, taken_over in old if not taken_over)
    return Cleanup(names, differing, str(target), applied=apply and bool(going))


def _old_forms(root: Path) -> Iterator[tuple[Path, Path]]:
    """Yield (old file, folder that replaced it), by name."""
    for path in sorted(root.iterdir()):
        new = root / path.name.removesuffix(".bak").removesuffix(".md")
        if path.is_file() and path.name.endswith((".md", ".md.bak")) and new.is_dir():
            yield path, new


def _is_taken_over(path: Path, new: Path) -> bool:
    """Return whether every line of a file, except headings, occurs in some note of a folder."""
    there = {line for note in new.rglob("*.md") for line in _lines(note)}
    return all(line in there for line in _lines(path) if not line.startswith("#"))


def _lines(path: Path) -> Iterator[str]:
    return filter(None, (line.strip() for line in path.read_text(encoding="utf-8", errors="replace").splitlines()))


def _move(path: Path, folder: Path) -> None:
    target, number = folder / path.name, 1
    while target.exists():
        number += 1
        target = folder / f"{path.name}.{number}"
    try:
        folder.mkdir(exist_ok=True)
        path.rename(target)
    except OSError as error:
        raise WriteFailed(f"{path} could not be moved: {error.strerror}.", "Check the permissions of the folder.") from error
