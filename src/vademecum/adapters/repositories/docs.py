"""Summary of a repository's own documentation for agents and people, which need not be saved as memories again."""

import re
from pathlib import Path

#: Documentation for agents, whose beginning is used, and for people, whose headings are used.
FOR_AGENTS, FOR_PEOPLE = ("CLAUDE.md", "AGENTS.md", ".github/copilot-instructions.md"), ("README.md",)
#: Most characters of the summary, and of a file that is read.
MOST_CHARS, PAGE_MAX_CHARS = 1_500, 20_000
_HEADING = re.compile(r"^#{1,4} +(.+)$", re.MULTILINE)


def docs_of(folder: str) -> str:
    """Return a line for each documentation file in a working folder; "" when there are none, or the folder is missing."""
    root = Path(folder) if folder else None
    if root is None or not root.is_dir():
        return ""
    lines = [f"{name}: {' '.join(text.split())}" for name in FOR_AGENTS if (text := _read(root / name))]
    headings = [(name, "; ".join(_HEADING.findall(_read(root / name)))) for name in FOR_PEOPLE]
    lines += [f"{name}, headings: {text}" for name, text in headings if text]
    each = MOST_CHARS // max(1, len(lines))
    return "\n".join(line if len(line) <= each else f"{line[:each].rpartition(' ')[0]} …" for line in lines)


def _read(path: Path) -> str:
    try:
        with path.open(encoding="utf-8", errors="replace") as page:
            return page.read(PAGE_MAX_CHARS)
    except OSError:
        return ""
