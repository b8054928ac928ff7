"""Locations of hosts' own files and conversations on each platform."""

import os
import re
import sys
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from pathlib import Path

from msgspec.structs import replace

from vademecum.domain.errors import InvalidInput
from vademecum.domain.host import HostFolders
from vademecum.domain.places import expanded, standing_above
from vademecum.plugin import added
from vademecum.ports.host import Host
from vademecum.ports.transcripts import Place, PlaceRule

#: Suffixes of databases and archives that contain named conversations.
_LIBRARIES = (".db", ".vscdb", ".sqlite3", ".zip", ".json")


#: As of 2026-11; docs/transcripts.md gives the source of each.
OWN: tuple[Place, ...] = (
    Place(
        "claude-code", ".claude/projects", ".claude", files=("*/*.jsonl",), side=("*/agent-*.jsonl", "*/*/subagents/**/*.jsonl"),
        never="`tool-results`, `memory`, file history, to-do lists, plans, pasted texts, debug logs",
        variable="CLAUDE_CONFIG_DIR", below="projects",
    ),
    Place(  # of versions of 2025
        "claude-code", ".config/claude/projects", ".config/claude", files=("*/*.jsonl",),
        side=("*/agent-*.jsonl", "*/*/subagents/**/*.jsonl"), never="everything else",
    ),
    Place(
        "codex", ".codex/sessions", ".codex", files=("**/*.jsonl", "**/*.jsonl.zst"),
        never="history, memories, logs, outputs of hooks", variable="CODEX_HOME", below="sessions",
    ),
    Place(
        "codex", ".codex/archived_sessions", ".codex", files=("**/*.jsonl", "**/*.jsonl.zst"),
        variable="CODEX_HOME", below="archived_sessions",
    ),
)  # fmt: skip

#: Folders in which hosts store tool output. A file in such a folder is never a conversation, wherever the folder is, so that a
#: copy of a host's folder is treated like the original.
OUTPUT_FOLDERS = frozenset({"tool-results", "tool-outputs", "agent-tools", "hook_outputs", "file-history"})
#: Most cached rules.
_REMEMBERED = 100_000
#: Folders in which hosts store the conversations of sub-agents, wherever the folder is.
SIDE_FOLDERS = frozenset({"subagents"})


@cache
def places() -> tuple[Place, ...]:
    """Return the locations of conversations: those of the core, then those of plugins."""
    return (*OWN, *(place for _, place in added("places")))


def without_hooks() -> Mapping[str, str]:
    """Return hosts whose conversations are read although they call no hook of ours -> their usual names."""
    return {place.host: place.title for place in places() if place.title}


class PlaceRules:
    """Determines how a file may be treated, by its path: the one rule for every way of reading a file."""

    def __init__(self, environment: Mapping[str, str], system: str) -> None:
        home = _home(environment)
        self._roots: list[tuple[str, Place]] = []
        self._places: list[tuple[re.Pattern[str], Place]] = []
        self._folders: dict[str, tuple[str, tuple[int, int]]] = {}
        self._rules: dict[str, PlaceRule] = {}
        if home:
            bases = _application_folders(Path(home), environment, system)
            for place, path in _placed(environment, system):
                named = environment.get(place.variable, "") if place.variable else ""
                root = expanded(named) if named and place.below != "." else bases[place.base] / place.root
                self._places.append((_at(_plain(path)), place))
                if not f"{_plain(home)}/".startswith(f"{_plain(root)}/"):
                    self._roots.append((_plain(root), place))

    def __call__(self, path: str) -> PlaceRule:
        """Return the rule for the file at `path`: by its path and, if that is a link, by the link's target."""
        rule = self._rule(path)
        if _is_about_another(path, rule.host):
            reason = f"{rule.host} keeps a description of the conversation there, not the conversation itself."
            return PlaceRule("never", rule.host, reason=reason)
        real = self._real(path)
        if real == os.path.abspath(path) or rule.verdict == "never":  # noqa: PTH100 -- links are not followed
            return rule
        behind = self._rule(real)
        if rule.verdict == "free" or _parts(real) & OUTPUT_FOLDERS:
            return rule if behind.verdict == "free" else behind
        return replace(rule, verdict="side") if behind.verdict == "side" else rule

    def _real(self, path: str) -> str:
        """Return the real path. Cached for each folder until another folder replaces it."""
        folder, name = os.path.split(path)
        try:
            stat = os.stat(folder or ".")  # noqa: PTH116 -- called for every transcript, and a Path is slower
            mark = (stat.st_dev, stat.st_ino)
            if self._folders.get(folder, ("", None))[1] != mark:
                self._folders[folder] = (os.path.realpath(folder or "."), mark)
            real = os.path.join(self._folders[folder][0], name)  # noqa: PTH118
            return os.path.realpath(path) if os.path.islink(path) else real  # noqa: PTH114
        except OSError:
            return os.path.realpath(path)

    def _rule(self, path: str) -> PlaceRule:
        """Return the rule for a path as it is written."""
        if path not in self._rules:
            if len(self._rules) >= _REMEMBERED:
                self._rules.clear()
            self._rules[path] = self._found(path)
        return self._rules[path]

    def _found(self, path: str) -> PlaceRule:
        for text in dict.fromkeys((path, _owner(path))):
            rule = self._written(_plain(text))
            if rule.verdict != "never":
                return rule
        return rule

    def _written(self, path: str) -> PlaceRule:
        own = [(match[1] or "", place) for at, place in self._places if (match := at.fullmatch(path))] or _elsewhere(path)
        for rest, place in own:
            formats = (place.host,)
            if not place.files and not rest:
                return PlaceRule("conversation", place.host, formats)
            if rest and not _parts(rest) & OUTPUT_FOLDERS:
                if any(_pattern(glob).fullmatch(rest) for glob in place.side):
                    return PlaceRule("side", place.host, formats)
                if any(_pattern(glob).fullmatch(rest) for glob in place.files):
                    return PlaceRule("conversation", place.host, formats)
        root = next((place for at, place in self._roots if path.startswith(f"{at}/")), own[0][1] if own else None)
        if root is not None:
            return PlaceRule("never", root.host, reason=f"{root.host} stores no conversations there, so the file was not read.")
        if _parts(path) & OUTPUT_FOLDERS:
            return PlaceRule(
                "never", reason="Hosts store the output of tools in such folders, so the file was not read as a conversation."
            )
        return PlaceRule("side" if _parts(path) & SIDE_FOLDERS else "free")


def _is_about_another(path: str, host: str) -> bool:
    """Return whether a file only describes the transcript beside it."""
    for place in places():
        ending, beside = place.description
        if place.host == host and ending and path.endswith(ending):
            return os.path.exists(path.removesuffix(ending) + beside)  # noqa: PTH110
    return False


def _elsewhere(path: str) -> list[tuple[str, Place]]:
    """Return (path below it, location) if `path` is in a copy of a host's folder; the outermost copy counts."""
    pairs = [(at.start(), at[1] or "", place) for place in places() if (at := _at(f"/{place.path}").search(path))]
    first = min((start for start, _, _ in pairs), default=0)
    return [(rest, place) for start, rest, place in pairs if start == first]


@lru_cache(maxsize=256)
def _at(path: str) -> re.Pattern[str]:
    """Return a pattern for a location, in which `*` matches any name; its group is the rest of the path."""
    return re.compile(re.escape(path).replace(r"\*", "[^/]*") + r"(?:/(.+))?$")


@lru_cache(maxsize=256)
def _pattern(glob: str) -> re.Pattern[str]:
    parts = (re.escape(part).replace(r"\*", "[^/]*") for part in glob.split("**/"))
    return re.compile("(?:[^/]+/)*".join(parts))


def _owner(path: str) -> str:
    """Return the database or archive of a conversation named `<file>#<name>`; any other path unchanged."""
    owner, _, name = path.rpartition("#")
    return owner if owner.endswith(_LIBRARIES) and not re.search(r"[/\\]", name) else path


def _parts(path: str) -> set[str]:
    """Return the names of the folders in a path."""
    return set(re.split(r"[/\\]", path)[:-1])


def _plain(path: str | Path) -> str:
    return os.path.normpath(str(path)).replace("\\", "/")


def host_places(environment: Mapping[str, str], system: str = sys.platform) -> tuple[tuple[str, str], ...]:
    """Return (host, path) of all locations of conversations, existing or not, each once.

    Args:
        system: a value of `sys.platform`.
    """
    fields = {str(path): place.host for place, path in _placed(environment, system)}
    return tuple((host, path) for path, host in fields.items())


def _placed(environment: Mapping[str, str], system: str) -> Iterator[tuple[Place, Path]]:
    """Yield the locations of the table with their paths on this machine."""
    home = _home(environment)
    bases = _application_folders(Path(home), environment, system) if home else {}
    for place in places() if home else ():
        named = environment.get(place.variable, "") if place.variable else ""
        yield place, expanded(named) / place.below if named else bases[place.base] / place.path


def written_by(host: str, environment: Mapping[str, str], system: str = sys.platform) -> list[Path]:
    """Return the conversation files of a host, including those of sub-agents.

    Args:
        system: a value of `sys.platform`.
    """
    patterns = {place.path: (*place.files, *place.side) for place in places() if place.host == host}
    by_key: dict[Path, None] = {}
    for place, path in _placed(environment, system):
        if place.host == host:
            by_key |= dict.fromkeys(file for glob in patterns[place.path] or ("",) for file in _matching(path / glob))
    return [file for file in by_key if not _is_about_another(str(file), host)]


def unread_of(host: Host, environment: Mapping[str, str], system: str = sys.platform) -> list[tuple[str, str]]:
    """Return (id of the conversation, path) of files in a host's stores that are not read.

    Args:
        system: a value of `sys.platform`.
    """
    home = _home(environment)
    bases = _application_folders(Path(home), environment, system) if home else {}
    return [
        (Path(file.parts[store.identity]).stem, str(file))
        for store in (host.unread if home else ())
        for file in _matching(bases[store.base] / store.path)
    ]


def _matching(pattern: Path) -> list[Path]:
    """Return files whose paths match (`*` matches any name, `**` any folders); empty where they cannot be listed."""
    try:
        return sorted(Path(pattern.anchor).glob(str(pattern.relative_to(pattern.anchor))))
    except OSError:
        return []


def _application_folders(home: Path, environment: Mapping[str, str], system: str) -> dict[str, Path]:
    xdg = Path(environment.get("XDG_DATA_HOME") or home / ".local" / "share")
    if system == "darwin":
        support = home / "Library" / "Application Support"
        return {"home": home, "config": support, "data": support, "xdg": xdg}
    if system == "win32":
        roaming = Path(environment.get("APPDATA") or home / "AppData" / "Roaming")
        local = Path(environment.get("LOCALAPPDATA") or home / "AppData" / "Local")
        return {"home": home, "config": roaming, "data": local, "xdg": xdg}
    return {"home": home, "config": Path(environment.get("XDG_CONFIG_HOME") or home / ".config"), "data": xdg, "xdg": xdg}


def found_places(environment: Mapping[str, str]) -> tuple[str, ...]:
    """Return the locations of :func:`places` that exist; for one with `*` it is enough that the folder before it exists."""
    return tuple(path for _, path in host_places(environment) if standing_above(path).exists())


def host_folders(environment: Mapping[str, str]) -> HostFolders:
    """Return the folders of hosts, by an environment.

    Raises:
        InvalidInput: the person's home folder is not known.
    """
    home = _home(environment)
    if not home:
        raise InvalidInput("The home folder is not known.", "Set HOME (on Windows: USERPROFILE).")
    windows, person = os.name == "nt", Path(home)
    config = environment.get("XDG_CONFIG_HOME") or str(person / ".config")
    claude = environment.get("CLAUDE_CONFIG_DIR")
    return HostFolders(
        home=home,
        config=config,
        data=environment.get("XDG_DATA_HOME") or str(person / ".local" / "share"),
        editors=str(_application_folders(person, environment, sys.platform)["config"]),
        claude=claude or str(person / ".claude"),
        claude_state=str(Path(claude or home) / ".claude.json"),
        codex=environment.get("CODEX_HOME") or str(person / ".codex"),
        windows=windows,
    )


def _home(environment: Mapping[str, str]) -> str:
    """Return the person's home folder; "" when the environment does not contain it."""
    return environment.get("HOME") or environment.get("USERPROFILE") or ""
