"""What leaves when a memory is shared, and what becomes of a copy that comes in. Both pass the guard: a colleague's text is no less
hostile than a web page's."""

import hashlib
from datetime import UTC, datetime
from typing import Any

from vademecum.domain.errors import InvalidInput, Refused
from vademecum.domain.ids import is_id
from vademecum.domain.item import Status
from vademecum.domain.kinds import KINDS
from vademecum.domain.memory import COLLEAGUE, QUARANTINED, By, Draft, Memory, Space
from vademecum.domain.query import is_withheld
from vademecum.plugin_api.memory import Context
from vademecum.plugin_api.vault import File, place, read_memory, render, slugify
from vademecum.plugin_api.writing import Guard, guarded, must_not_be_forgotten
from vademecum.plugins.team.values import COPY_MAX_CHARS, MIRROR, SHARED_KINDS, Published

#: Who writes what came from a colleague: judged like an agent's words, and trusted less.
BY_TEAM = By("agent", "team")
#: Property of a mirrored copy: hash of the text that came, by which an edit of the person's is known.
COPIED = "copied"

#: What is told of a memory beside its text. Where it came from, who it is about and how it is treated stay at home.
_TOLD = ("facet", "summary", "tags", "topics", "confidence", "importance", "valid_from", "valid_until", "project")
_STANDING = ("active", "resolved")


def copy_of(context: Context, memory: Memory, author: str) -> Published:
    """Return what would leave of a memory.

    Raises:
        Refused: it is private, waits, came from somebody else, speaks of the person, or holds what the guard keeps in.
    """
    why = _why_not(context, memory)
    if why:
        raise Refused(f"{memory.title!r} stays here: {why}", "Nothing was sent.")
    values: dict[str, Any] = {name: getattr(memory, name) for name in _TOLD}
    values = {name: list(value) if isinstance(value, tuple) else value for name, value in values.items() if value}
    front = render({"id": memory.id, "kind": memory.kind, "title": memory.title, "created": memory.created, **values})
    text = front + memory.body
    must_be_clean(context.guard, text)
    return Published(memory.id, author, memory.title, text)


def blank_copy(identity: str) -> str:
    """Return a copy that says nothing, in the place of one that is taken back."""
    return render({"id": identity, "kind": "fact", "title": "Withdrawn"}) + "Withdrawn.\n"


def _why_not(context: Context, memory: Memory) -> str:
    written = context.vault.file(memory.id)[1]
    if is_withheld(memory.tags) or (memory.visibility == "private" and "\nvisibility:" in written):
        return "it is marked private."
    if memory.kind not in SHARED_KINDS:
        return f"a memory of kind {memory.kind} speaks of you or to your agents."
    if memory.status not in _STANDING:
        return f"it is {memory.status}."
    if memory.trust == QUARANTINED:
        return "somebody else said it, and you did not confirm it."
    return ""


def must_be_clean(guard: Guard, text: str) -> None:
    """Refuse a text of which the guard would take something out.

    Raises:
        Refused: it holds a secret, personal data that the policy names, or hidden characters; or it is too long.
    """
    if len(text) > COPY_MAX_CHARS:
        raise Refused(f"It is longer than {COPY_MAX_CHARS:,} characters.", "Share a part of it as a memory of its own.")
    verdict = guard.judge(text, trust=QUARANTINED, interface="team")
    texts = sorted({f"{finding.kind} ({finding.rule})" for finding in verdict.findings if finding.kind != "command"})
    if texts or guard.count_placeholders(text):
        raise Refused(f"It holds what must not leave: {', '.join(texts) or 'the place of a secret'}.", "Nothing was sent.")


def parsed(copy: Published, space: Space) -> Memory:
    """Return what a copy says.

    Raises:
        InvalidInput: it is none, or of a kind that is not shared.
    """
    memory = read_memory(copy.text.encode("utf-8", "replace"), space, "x.md", datetime.fromtimestamp(0, UTC)).memory
    if not is_id(copy.id) or memory.id != copy.id:
        raise InvalidInput("The text does not bear the id of its memory.")
    if memory.kind not in SHARED_KINDS or not memory.title.strip() or len(copy.text) > COPY_MAX_CHARS:
        raise InvalidInput(f"The memory {copy.id} has no title, is too long, or is of a kind that is not shared.")
    return memory


def file_of(context: Context, copy: Published, space: Space) -> File:
    """Return the file by which a copy stands in its mirror: clean, with external trust, in quarantine when it speaks to an agent.

    Raises:
        Refused: the guard lets nothing of it in, or the person had it forgotten. InvalidInput: it is no copy.
    """
    memory = parsed(copy, space)
    given: dict[str, Any] = {name: getattr(memory, name) for name in _TOLD if getattr(memory, name)}
    given |= {"created": memory.created, "source": f"{COLLEAGUE}{space.name.removeprefix(MIRROR)}/{slugify(copy.author)}"}
    draft = Draft(memory.kind, memory.title, memory.body, memory.tags, space.name, given)
    draft, _, waits = guarded(context, draft, BY_TEAM)
    must_not_be_forgotten(context, draft, BY_TEAM)
    status: Status = "inbox" if waits else "active"
    values: dict[str, Any] = {
        name: list(value) if isinstance(value, tuple) else value for name, value in draft.properties.items() if value
    }
    values |= {"tags": list(draft.tags) or None, "status": status, "trust": QUARANTINED, COPIED: digest_of_body(draft.body)}
    front = render({"id": copy.id, "kind": memory.kind, "title": draft.title, **values})
    path = place(KINDS[memory.kind], slugify(draft.title), status=status, group="")
    return File(copy.id, space.name, path, front + draft.body, {})


def digest_of_body(body: str) -> str:
    """Return by what the text of a copy is known again."""
    return hashlib.blake2b(body.strip().encode("utf-8", "replace"), digest_size=8).hexdigest()


def is_changed_here(memory: Memory) -> bool:
    """Return whether the person made a mirrored copy their own: changed its text, or confirmed it."""
    return memory.trust != QUARANTINED or memory.extra.get(COPIED) != digest_of_body(memory.body)
