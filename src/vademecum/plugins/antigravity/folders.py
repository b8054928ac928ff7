"""Find the working folder of a conversation of Antigravity.

`cache/last_conversations.json` and `history.jsonl` contain conversation and workspace together (2026-11).
"""

from collections.abc import Iterable, Iterator

from vademecum.plugin_api.transcripts import below, json_in, parsed, path_of_uri, text_in


def antigravity_folder(transcript: str) -> str:
    """Return the working folder of a conversation of Antigravity; "" if unknown. Its transcript lies below `brain/<id>`."""
    place, home = below(transcript, "brain")
    if place is None or home is None:
        return ""
    lines = reversed(text_in(home / "history.jsonl").splitlines())
    values = [json_in(home / "cache" / "last_conversations.json"), *(parsed(line) for line in lines if place.name in line)]
    return next((path for value in values for path in _beside(value, place.name)), "")


def _beside(value: object, name: str) -> Iterator[str]:
    """Yield absolute paths that a JSON value contains together with `name`: path -> name, name -> path, or in one object."""
    if isinstance(value, list):
        yield from (path for inner in value for path in _beside(inner, name))
    if not isinstance(value, dict):
        return
    yield from _paths(key for key, inner in value.items() if inner == name)
    together = [inner for inner in value.values() if isinstance(inner, str)] if name in map(str, value.values()) else []
    yield from _paths([*together, *_leaves(value.get(name))])
    for inner in value.values():
        yield from _beside(inner, name)


def _leaves(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for entry in inner for text in _leaves(entry)]


def _paths(texts: Iterable[str]) -> Iterator[str]:
    yield from (path for text in texts if (path := path_of_uri(text)))
