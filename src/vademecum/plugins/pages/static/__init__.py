"""Style and scripts of the pages, ours and, under `vendor`, those of others. Named by their hash, so that browsers may keep them."""

import hashlib
from functools import cache
from pathlib import Path

from vademecum.plugins.pages.machine import PAGES

_FOLDER = Path(__file__).parent
TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}


@cache
def static_file(name: str) -> tuple[bytes, str] | None:
    """Return content and media type of a file of this folder; None: there is no such."""
    path = _FOLDER / name
    if path.suffix not in TYPES or not path.is_file() or not path.resolve().is_relative_to(_FOLDER):
        return None
    return path.read_bytes(), f"{TYPES[path.suffix]}; charset=utf-8"


@cache
def static_address(name: str) -> str:
    """Return the address of a file of this folder; it changes with its content."""
    pair = static_file(name)
    return f"{PAGES}/static/{name}?v={hashlib.sha256(pair[0]).hexdigest()[:12]}" if pair else ""
