"""Icons in the colour of the text beside them. They repeat that text, so screen readers skip them."""

import htpy as h
from htpy import Element

#: Name -> path in a square of 16 by 16. Names of kinds and sources of items, then of pages and buttons.
_PATHS = {
    "decision": "M8 1.5v4M8 5.5 3.5 10M8 5.5l4.5 4.5M3.5 10v4.5M12.5 10v4.5",
    "preference": "M2 4.5h7M12 4.5h2M2 11.5h2M7 11.5h7M10.5 3v3M5.5 10v3",
    "fact": "M8 14.5a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13ZM8 7.5v4M8 4.8v.2",
    "lesson": "M6 13.5h4M6.5 11.5v-1c-1.5-1-2.5-2.2-2.5-4a4 4 0 0 1 8 0c0 1.8-1 3-2.5 4v1Z",
    "fix": "M13.5 4.5 11 7 9 5l2.5-2.5a4 4 0 0 0-5 5L2 12l2 2 4.5-4.5a4 4 0 0 0 5-5Z",
    "incident": "M8 2 14.5 13.5h-13ZM8 6.5v3.5M8 11.8v.2",
    "task": "M2.5 2.5h11v11h-11ZM5 8l2.2 2.2L11 6",
    "handoff": "M2 3v10M5 8h8.5M10 4.5 13.5 8 10 11.5",
    "event": "M2.5 3.5h11v10h-11ZM2.5 6.5h11M5.5 2v2.5M10.5 2v2.5",
    "idea": "M8 1.5v3M8 11.5v3M1.5 8h3M11.5 8h3M3.8 3.8l1.7 1.7M10.5 10.5l1.7 1.7M12.2 3.8l-1.7 1.7M5.5 10.5l-1.7 1.7",
    "procedure": "M6 4h8M6 8h8M6 12h8M2 4h1M2 8h1M2 12h1",
    "identity": "M8 8a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM2.5 14c.5-3 2.7-4.5 5.5-4.5s5 1.5 5.5 4.5",
    "project": "M1.5 3.5h4.5l1.5 2h7v8h-13Z",
    "document": "M3.5 1.5h6l3 3v10h-9ZM9.5 1.5v3h3M5.5 8h5M5.5 11h5",
    "session": "M2 2.5h12v8.5H7.5L4 14v-3H2Z",
    "concept": "M8 1.5 14 5v6l-6 3.5L2 11V5ZM2 5l6 3.5L14 5M8 8.5v6",
    "home": "M2 7.5 8 2l6 5.5M3.5 6.5v7.5h3.5v-4h2v4h3.5V6.5",
    "inbox": "M2 9.5 4 3h8l2 6.5v4H2ZM2 9.5h3.5l1 1.5h3l1-1.5H14",
    "search": "M7 12a5 5 0 1 0 0-10 5 5 0 0 0 0 10ZM10.8 10.8 14.5 14.5",
    "timeline": "M1.5 13.5h13M4 13.5v-4M8 13.5v-9M12 13.5v-6",
    "answers": "M8 14.5a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13ZM6 6.2c.2-2.7 4.2-2.4 4 .1-.1 1.4-2 1.5-2 3M8 11.7v.1",
    "health": "M1.5 8.5h3l2-5.5 3 10 2-4.5h3",
    "settings": "M8 10.2a2.2 2.2 0 1 0 0-4.4 2.2 2.2 0 0 0 0 4.4ZM8 1.5v2M8 12.5v2M1.5 8h2M12.5 8h2M3.4 3.4"
    "l1.4 1.4M11.2 11.2l1.4 1.4M12.6 3.4l-1.4 1.4M4.8 11.2l-1.4 1.4",
    "more": "M3 8h.1M8 8h.1M13 8h.1",
}  # fmt: skip
#: Kind -> kind whose icon it uses.
_SHARED = {
    "style": "preference", "self": "identity", "source": "document", "spec": "procedure", "plan": "procedure", "skill": "procedure",
    "log": "session",
}  # fmt: skip


def icon(name: str) -> Element:
    """Return the icon of a kind, a source or a page; unknown names get that of a concept."""
    path = _PATHS.get(_SHARED.get(name, name), _PATHS["concept"])
    return h.svg(".icon", viewBox="0 0 16 16", aria_hidden="true")[h.path(d=path)]


def mark() -> Element:
    """Return the logo, a bookmark; static/icon.svg is the same for a browser's tab."""
    return h.svg(".mark-of-ours", viewBox="0 0 32 32", aria_hidden="true")[
        h.rect(width="32", height="32", rx="7"), h.path(d="M8 7.5h16v18l-8-5-8 5z"), h.path(".cut", d="M12 11.5l4 6 4-6")
    ]
