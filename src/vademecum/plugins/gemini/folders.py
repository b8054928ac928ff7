"""Find the working folder of a chat of Gemini CLI that does not contain it.

`tmp/<name>/.project_root` contains the path; `projects.json` maps paths to names; `projectHash` is the SHA-256 of the path
(2026-11).
"""

import hashlib

from vademecum.plugin_api.transcripts import (
    below,
    globbed,
    json_in,
    text_in,
)


def gemini_folder(transcript: str, project_hash: str) -> str:
    """Return the working folder of a chat; "" if unknown.

    Args:
        project_hash: from the chat's header; "" if it has none. A known folder with this hash takes precedence over
            `.project_root`.
    """
    place, home = below(transcript, "tmp")
    if place is None or home is None:
        return ""
    named = text_in(place / ".project_root").strip()
    by_name = {text: path for path, text in _strings(json_in(home / "projects.json").get("projects")).items()}
    digest = project_hash or (place.name if len(place.name) == hashlib.sha256().digest_size * 2 else "")
    known = [named, *by_name.values(), *_strings(json_in(home / "trustedFolders.json"))]
    if digest:
        known += (text_in(note).strip() for note in globbed(home, "*/*/.project_root"))
    fitting = next((path for path in known if path and hashlib.sha256(path.encode()).hexdigest() == digest), "")
    return fitting or named or by_name.get(place.name, "")


def _strings(value: object) -> dict[str, str]:
    """Return the entries of a JSON object whose values are strings."""
    return {key: text for key, text in value.items() if isinstance(text, str)} if isinstance(value, dict) else {}
