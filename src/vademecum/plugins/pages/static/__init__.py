"""Styles and scripts of the pages, and those of others below `vendor`.

Addresses contain a hash, so that browsers may cache them.
"""

import hashlib
from functools import cache
from pathlib import Path

from vademecum.plugins.pages.machine import PAGES

_FOLDER = Path(__file__).parent
TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}


@cache
def static_file(name: str) -> tuple[bytes, str] | None:
    """Return (content, media type) of a file in this folder; None if there is none."""
    path = _FOLDER / name
    if path.suffix not in TYPES or not path.is_file() or not path.resolve().is_relative_to(_FOLDER):
        return None
    return path.read_bytes(), f"{TYPES[path.suffix]}; charset=utf-8"


@cache
def static_address(name: str) -> str:
    """Return the address of a file in this folder; it changes with the content."""
    pair = static_file(name)
    return f"{PAGES}/static/{name}?v={hashlib.sha256(pair[0]).hexdigest()[:12]}" if pair else ""
