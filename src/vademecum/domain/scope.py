"""Reference implementation of scope filters in plain Python. Stores that filter by other means must agree with it."""

import unicodedata
from datetime import datetime

from vademecum.domain.item import Item, Touch
from vademecum.domain.query import Scope


def item_fits(item: Item, scope: Scope) -> bool:
    """Return whether an item matches all conditions of `scope` on items.

    The times of passages are left to :func:`time_fits`.
    """
    allowed = (
        (scope.spaces, item.space),
        (scope.sources, item.source),
        (scope.kinds, item.kind),
        (scope.statuses, item.status),
        (scope.profiles, item.profile),
        (scope.agents, item.agent),
        (scope.hosts, item.host),
        (scope.visibilities, item.visibility),
        (scope.origins, item.origin),
        (scope.projects and ("", *scope.projects), item.project),
        (None if scope.branches is None else ("", *scope.branches), item.branch),
    )
    return (
        all(values is None or value in values for values, value in allowed)
        and _tags_fit(item.tags, scope.tags)
        and _labels_fit(item.topics, scope.topics)
        and (scope.paths is None or item.path.startswith(scope.paths))
        and (scope.always_load is None or item.always_load == scope.always_load)
        and (scope.keys is None or item.key in scope.keys)
        and item.key not in scope.without
        and (scope.as_of is None or _stood(item, scope.as_of))
        and ((scope.tools is None and scope.files is None) or any(touch_fits(touch, scope) for touch in item.touches))
    )


def touch_fits(touch: Touch, scope: Scope) -> bool:
    """Return whether a use of a tool matches `scope`."""
    used = scope.tools is None or touch.tool.lower() in {tool.lower() for tool in scope.tools}
    return used and (scope.files is None or any(file_fits(touch.file, wanted) for wanted in scope.files))


def file_fits(file: str, wanted: str) -> bool:
    """Return whether `wanted` is the file's path or the end of it."""
    path, end = folded_path(file), folded_path(wanted)
    return bool(end) and (path == end or path.endswith(f"/{end.lstrip('/')}"))


def folded_path(path: str) -> str:
    """Return a path in the form in which it is compared: lower case, slashes."""
    return path.replace("\\", "/").casefold().rstrip("/")


def folded_label(label: str) -> str:
    """Return a tag or topic in the form in which it is compared: without number sign, lower case, NFC."""
    return unicodedata.normalize("NFC", label.removeprefix("#").rstrip("/")).casefold()


def _tags_fit(of_item: tuple[str, ...], allowed: tuple[str, ...] | None) -> bool:
    """Return whether one of the tags, or a parent of one, is allowed: `craft` allows `craft/glaze`."""
    if allowed is None:
        return True
    parents = {
        "/".join(parts[: count + 1])
        for tag in of_item
        for parts in [folded_label(tag).split("/")]
        for count in range(len(parts))
    }
    return not parents.isdisjoint(map(folded_label, allowed))


def _labels_fit(of_item: tuple[str, ...], allowed: tuple[str, ...] | None) -> bool:
    return allowed is None or not set(map(folded_label, allowed)).isdisjoint(map(folded_label, of_item))


def _stood(item: Item, moment: datetime) -> bool:
    begun = all(start is None or start <= moment for start in (item.created, item.valid_from))
    return begun and (item.valid_until is None or moment < item.valid_until)


def time_fits(time: datetime | None, scope: Scope) -> bool:
    """Return whether `time` lies in [since, until). No time lies in no range."""
    if scope.since is None and scope.until is None:
        return True
    if time is None:
        return False
    return (scope.since is None or scope.since <= time) and (scope.until is None or time < scope.until)
