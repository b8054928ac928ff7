"""Git merge driver for notes: merges both sides as the journals would, without conflict markers."""

from pathlib import Path

from vademecum.vault.frontmatter import read
from vademecum.vault.merge import merged_text
from vademecum.vault.places import numbered

#: Name for the device that wrote the other side, which git does not tell.
_WHO = "git"


def merge_file(base: Path, ours: Path, theirs: Path, path: Path) -> bool:
    """Merge both sides into the file of ours. A different note at the same place is written beside it.

    Args:
        base: may be empty if both sides added the file. path: of the note in the repository, relative to the current folder.

    Returns:
        Whether the merge was possible; if not, nothing was written.
    """
    try:
        was, mine, other = (version.read_bytes().decode() for version in (base, ours, theirs))
    except UnicodeDecodeError:
        return False
    ids = [read(text).texts().get("id") for text in (mine, other)]
    if ids[0] != ids[1] and None not in ids:
        _beside(path).write_bytes(theirs.read_bytes())
    else:
        ours.write_bytes(merged_text(was, mine, other, _WHO).encode())
    return True


def _beside(path: Path) -> Path:
    number = 2
    while (other := Path(numbered(path.as_posix(), number))).exists():
        number += 1
    return other
