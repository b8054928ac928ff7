"""Path of a memory's file, as a function of kind, scope and status; and the reverse, from a path to these properties.

`<group>/<kind>/<slug>.md`, with groups `personal`, `projects/<slug>`, `skills`, `agents/<agent>`; a project's own space needs no group. A
space with a wiki has decisions, plans, modules and similar kinds in `wiki/<section>/` (:mod:`vademecum.domain.wiki`). Pending, incubating
and replaced memories have separate folders, so that a person sees what is current, and so do handoffs: `_handoffs/<project>/<slug>.md`,
`_handoffs/agents/<agent>/<slug>.md`, and without either `_handoffs/<slug>.md`.
"""

import re
import unicodedata
from collections.abc import Sequence
from datetime import date, datetime
from pathlib import Path, PurePosixPath

from vademecum.domain import wiki
from vademecum.domain.errors import InvalidInput
from vademecum.domain.item import Status
from vademecum.domain.kinds import KINDS, Kind
from vademecum.domain.late_pattern import late_pattern
from vademecum.domain.procedural import ANY_AGENT

ALWAYS_LOAD, INBOX, ARCHIVE, INCUBATOR = "_always-load", "_inbox", "_archive", "_idea-incubator"
#: An incubating idea has its own folder; this is the idea's file, with findings about it beside it.
IDEA_FILE = "_index.md"
JOURNAL = "_journal"
#: Conflict copies made by sync tools, after their text was merged.
CONFLICTS = f"{ARCHIVE}/conflicts"
HANDOFFS = "_handoffs"
#: Daily notes: generated, editable by the person, and no memories.
DAILY = "_daily"
#: Notes that identify projects; no memories.
PROJECTS = "_projects"

#: Generated pages. At the top of a space these names are views, not memories; so is everything below `_views/`.
VIEWS_FOLDER = "_views"
_IN_VIEWS = f"{VIEWS_FOLDER}/"
#: Reports of `vade lint`; followed by the date.
LINT_REPORTS = f"{VIEWS_FOLDER}/lint-"
VIEW_NAMES = frozenset(
    {row.view for row in KINDS.values() if row.view} | {"MEMORY.md", "hot.md", "index.md", "log.md", "overview.md", "brain.md"}
)

#: Maximum length of a slug and of a path segment. A name must leave room for the archive's date within 255 bytes.
SLUG_MAX_CHARS = 80
SLUG_MAX_BYTES = 180
SEGMENT_MAX_BYTES = 240

_RESERVED = frozenset({"con", "prn", "aux", "nul"} | {f"{name}{digit}" for name in ("com", "lpt") for digit in "0123456789¹²³"})
_HYPHENS = late_pattern("-+")
_FORBIDDEN = late_pattern(r'[\x00-\x1f\x7f-\x9f\\:*?"<>|\u2028\u2029\ufeff\u202a-\u202e\u2066-\u2069]')
#: Pictographs that Obsidian allows in a tag, as ranges of a regular expression.
TAG_SIGNS = "\U0001f000-\U0001faff\u2600-\u27bf\u200d\ufe0f"
_TAG = late_pattern(rf"[\w/{TAG_SIGNS}-]*(?:[^\W\d]|[{TAG_SIGNS}])[\w/{TAG_SIGNS}-]*|[\w/-]*[/-][\w/-]*")
_ARCHIVED = late_pattern(rf"{ARCHIVE}/(?P<path>.+)\.(?P<date>\d{{8}})(?:-\d+)?\.md")
_STATUS_OF: dict[str, Status] = {INBOX: "inbox", INCUBATOR: "incubating", ARCHIVE: "archived"}


def slugify(title: str) -> str:
    """Return a file name derived from a title: letters and digits of any script, lower case, joined by hyphens. Never empty."""
    text = unicodedata.normalize("NFC", unicodedata.normalize("NFKC", title).lower())
    kept = "".join(char if unicodedata.category(char)[0] in "LMN" else "-" for char in text if char not in "'’")
    slug = _HYPHENS.sub("-", kept)[:SLUG_MAX_CHARS].encode()[:SLUG_MAX_BYTES].decode(errors="ignore").strip("-")
    if slug.split(".")[0] in _RESERVED:
        slug += "-memory"
    return slug or "untitled"


def signs_of(title: str) -> str:
    """Return the signs of a title that its slug lacks and that tell names apart, as in "C" and "C#"; all of it if it has no slug."""
    signs = "".join(char for char in title if unicodedata.category(char) in ("Sm", "Sc", "So") or char in "#*@%&")
    return signs if any(map(str.isalnum, title)) else title.strip()


def check_slug(name: str, what: str = "name") -> str:
    """Return `name` if it is a valid slug.

    Raises:
        InvalidInput: it is not; the message calls the argument `what`.
    """
    if not name or slugify(name) != name:
        raise InvalidInput(
            f"{name!r} cannot be a {what}.", f"Use small letters, digits and single hyphens, such as {slugify(name)!r}."
        )
    return name


def check_tag(tag: str) -> str:
    """Return `tag` without its number sign if it is valid in Obsidian.

    Raises:
        InvalidInput: it is not.
    """
    plain = tag.strip().removeprefix("#")
    if not _TAG.fullmatch(plain) or "//" in plain or len(plain) > SLUG_MAX_CHARS:
        raise InvalidInput(f"{tag!r} cannot be a tag.", "Use letters, digits, _, - and /, and not only digits.")
    return plain


def check_path(path: str) -> str:
    """Return `path` if it is a valid path of a note inside a space: POSIX, relative, portable.

    Raises:
        InvalidInput: it is not.
    """
    for segment in path.split("/"):
        check_segment(segment, path)
    if not path.endswith(".md"):
        raise InvalidInput(f"{path!r} is no note.", "The name of a note ends in .md")
    return path


def check_own_path(path: str) -> str:
    """Return `path` if a memory may be written there: a valid path (:func:`check_path`) without reserved folders and names.

    Raises:
        InvalidInput: it may not.
    """
    check_path(path)
    if is_view(path):
        raise InvalidInput(f"{path} is the name of a generated page.", "Choose another name, or put it in a folder.")
    if any(segment.startswith("_") for segment in path.split("/")):
        raise InvalidInput(f"{path!r} is in a folder that memory itself uses.", "Choose names without _ in front.")
    return path


def check_segment(segment: str, path: str = "") -> str:
    """Return one name within a path if it is valid.

    Raises:
        InvalidInput: it is empty, hidden, reserved, too long, leads out of the folder or has a forbidden character.
    """
    reason = ""
    if not segment or segment.startswith(".") or segment != segment.strip() or segment.endswith("."):
        reason = "leads elsewhere, is hidden, or has a bad start or end"
    elif _FORBIDDEN.search(segment) or "/" in segment:
        reason = "contains a character that not every system allows in file names"
    elif segment.split(".", maxsplit=1)[0].lower() in _RESERVED:
        reason = "is a name that Windows reserves"
    elif not _encodable(segment) or len(segment.encode()) > SEGMENT_MAX_BYTES:
        reason = f"is longer than {SEGMENT_MAX_BYTES} bytes or not text"
    if reason:
        raise InvalidInput(
            f"The path {path or segment!r} cannot be used: {segment!r} {reason}.", "Choose a plain relative path."
        )
    return segment


def _encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def group_for(kind: Kind, *, project: str, agent: str = "", own_space: bool = False) -> str:
    """Return the default group of a memory; "" in a project's own space."""
    if agent:
        return f"agents/{check_slug(slugify(agent), 'agent')}"
    if own_space:
        return ""
    if kind.home == "agent":
        return f"agents/{ANY_AGENT}"
    if kind.home == "skill":
        return "skills"
    return f"projects/{check_slug(slugify(project), 'project')}" if project else "personal"


def place(
    kind: Kind,
    slug: str,
    *,
    status: Status = "active",
    group: str = "personal",
    always_load: bool = False,
    wiki_facet: str | None = None,
) -> str:
    """Return the path of a memory's file, relative to its space. Superseded and archived ones move by :func:`archive_place` instead.

    Args:
        wiki_facet: in a space with a wiki, another system's word for the kind, which may have its own folder there, or "".
            None: the space has no wiki.
    """
    section = wiki.section_of(kind.name, wiki_facet) if wiki_facet is not None and not group.startswith("agents/") else ""
    if status == "inbox":
        folder = INBOX
    elif status == "incubating":
        return check_path(f"{INCUBATOR}/{slug}/{IDEA_FILE}")
    elif kind.name == "handoff":
        folder = f"{HANDOFFS}/{'' if group == 'personal' else group.removeprefix('projects/')}".rstrip("/")
    elif always_load:
        folder = f"{group}/{ALWAYS_LOAD}" if group else ALWAYS_LOAD
    elif section or kind.home == "wiki":
        folder = f"{wiki.FOLDER}/{section or wiki.section_of(kind.name)}"
    else:
        folder = f"{group}/{kind.name}" if group else kind.name
    return check_path(f"{folder}/{slug}.md")


def archive_place(path: str, when: datetime, number: int = 1) -> str:
    """Return the path in the archive for the text at `path`: `_archive/<path>.<YYYYMMDD>.md`, with `-N` from the second on."""
    suffix = f"-{number}" if number > 1 else ""
    return f"{ARCHIVE}/{path}.{when:%Y%m%d}{suffix}.md"


def original_place(path: str) -> str | None:
    """Return the path of an archived file before it was archived; None if it is not in the archive."""
    match = _ARCHIVED.fullmatch(path)
    return match["path"] if match else None


def archived_on(path: str) -> date | None:
    """Return the day (UTC) on which a file was archived; None if it is not in the archive."""
    match = _ARCHIVED.fullmatch(path)
    try:
        return datetime.strptime(match["date"], "%Y%m%d").date() if match else None
    except ValueError:
        return None


def numbered(path: str, number: int) -> str:
    """Return `path` with `-N` after its stem, or after the folder of an idea; the first one has no number."""
    if number < 2:
        return path
    if path.endswith(f"/{IDEA_FILE}"):
        return f"{path.removesuffix(f'/{IDEA_FILE}')}-{number}/{IDEA_FILE}"
    return f"{path.removesuffix('.md')}-{number}.md"


def in_one_form(text: str) -> str:
    """Return a path or name in Unicode normal form C: disks and sync tools change the form."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def on_any_disk(path: str) -> str:
    """Return a key that is equal for two paths that some disks treat as the same: they differ only by case or Unicode form."""
    return path.lower() if path.isascii() else in_one_form(in_one_form(path).casefold())


def all_on_any_disk(paths: Sequence[str]) -> list[str]:
    """Return :func:`on_any_disk` of each path, quickly where all are ASCII."""
    joined = "\0".join(paths)  # no path has this character
    return joined.lower().split("\0") if paths and joined.isascii() else [on_any_disk(path) for path in paths]


def is_numbered(path: str, of: str) -> bool:
    """Return whether `path` is `of`, or a numbered variant of it."""
    return path == of or re.fullmatch(rf"{re.escape(of.removesuffix('.md'))}-\d+\.md", path) is not None


def said_by_path(path: str) -> tuple[str, Status, str, bool]:
    """Return the properties that a path implies where the frontmatter has none: kind ("" unknown), status, group, always_load."""
    original = original_place(path) or path
    *folders, _ = original.split("/")
    status = _STATUS_OF.get(path.split("/", maxsplit=1)[0], "active")
    if folders[:1] == [HANDOFFS]:
        own = "/".join(folders[1:])
        return "handoff", status, own if own.startswith("agents/") else f"projects/{own}" if own else "personal", False
    last = folders[-1] if folders else ""
    kind = wiki.KIND_IN.get("/".join(folders[1:2]), last) if folders[:1] == [wiki.FOLDER] else last
    if status == "incubating":
        kind = "idea" if len(folders) < 2 or path.endswith(f"/{IDEA_FILE}") else "source"
    group = "" if not folders or folders[0].startswith("_") or folders[0] == wiki.FOLDER else "/".join(folders[:-1])
    return (kind if kind in KINDS else ""), status, group, last == ALWAYS_LOAD


def is_view(path: str) -> bool:
    """Return whether a file is a generated page."""
    return path in VIEW_NAMES or path.startswith(_IN_VIEWS) or wiki.is_page(path)


def stem(path: str) -> str:
    """Return the file name without folders and `.md`; of an archived file the original one, of an idea the name of its folder."""
    place = PurePosixPath(original_place(path) or path)
    return place.parent.name if place.name == IDEA_FILE and place.parent.name else place.stem


def from_root(root: str, documents_root: str, path: str) -> str:
    """Return a path of a space relative to the root of the vault around it."""
    return (Path(root) / path).relative_to(documents_root or root).as_posix()
