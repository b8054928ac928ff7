"""Sessions of OpenCode before 1.2, which stored each session, message and part in a separate JSON file.

As of OpenCode 0.3 to 1.1 (2025), after its source (packages/opencode/src/storage/storage.ts):

    storage/session/<project>/<session>.json, storage/message/<session>/<message>.json, storage/part/<message>/<part>.json
    project/<slug>/storage/session/: info/<session>.json, message/<session>/<message>.json, part/<session>/<message>/<part>.json

They are converted to the document that `opencode export` writes. A message may be written without a change of its session's file,
so the fingerprint of a session covers all of its files.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from vademecum.plugin_api.transcripts import as_lines, json_object
from vademecum.ports.transcripts import Member


class OpenCodeFiles:
    """The file of a session; its messages are beside it."""

    name = "opencode"

    def recognises(self, head: bytes, path: str) -> bool:
        file = Path(path)
        return (
            file.name.startswith("ses_")
            and file.suffix == ".json"
            and b'"id"' in head
            and b'"ses_' in head
            and b'"messages"' not in head
            and _messages(file) is not None
        )

    def members(self, path: str) -> Sequence[Member]:
        file = Path(path)
        files = [
            file,
            *_files(_messages(file)),
            *(part for message in _files(_messages(file)) for part in _parts(file, message)),
        ]
        stats = [source.stat() for source in files]
        return [
            Member(
                file.stem,
                f"{len(files)}:{sum(stat_result.st_size for stat_result in stats)}:{max(stat_result.st_mtime_ns for stat_result in stats)}",
            )
        ]

    def read(self, path: str, names: Sequence[str]) -> Iterator[tuple[str, bytes]]:
        file = Path(path)
        if file.stem not in names:
            return
        about: dict[str, Any] = {"id": file.stem, **_object(file)}
        result: list[dict[str, Any]] = [
            {
                "info": {"id": message.stem, **_object(message)},
                "parts": [{"id": part.stem, **_object(part)} for part in _parts(file, message)],
            }
            for message in _files(_messages(file))
        ]
        if "directory" not in about:  # older sessions lack their folder; each answer has it
            folders = (fields["info"].get("path") for fields in result)
            about["directory"] = next(
                (folder["cwd"] for folder in folders if isinstance(folder, dict) and folder.get("cwd")), ""
            )
        yield file.stem, as_lines({"info": about}, "messages", result)


def _messages(file: Path) -> Path | None:
    """Return the folder of a session's messages; None if the file is not where OpenCode stores sessions."""
    above = file.parent.parent
    if file.parent.name == "info" and above.name == "session":
        return above / "message" / file.stem
    return above.parent / "message" / file.stem if above.name == "session" else None


def _parts(file: Path, message: Path) -> list[Path]:
    if file.parent.name == "info":
        return _files(file.parent.parent / "part" / file.stem / message.stem)
    return _files(file.parent.parent.parent / "part" / message.stem)


def _files(folder: Path | None) -> list[Path]:
    """Return the JSON files of a folder. Their names ascend with time."""
    try:
        return sorted(folder.glob("*.json")) if folder is not None else []
    except OSError:
        return []


def _object(file: Path) -> dict[str, Any]:
    """Return the object in a file; empty if it is missing or damaged, so that the others are still read."""
    try:
        return json_object(file.read_text(encoding="utf-8", errors="replace"))
    except OSError:
        return {}
