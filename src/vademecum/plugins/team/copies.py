"""The copy of a shared memory, and the file of a received copy. Both pass the guard: text of a colleague is trusted no more than a web
page."""

import hashlib
from datetime import UTC, datetime
from typing import Any

from vademecum.domain.errors import InvalidInput, Refused
from vademecum.domain.ids import is_id
from vademecum.domain.item import Status
from vademecum.domain.kinds import KINDS
from vademecum.domain.memory import COLLEAGUE, QUARANTINED, By, Draft, Memory, Space
from vademecum.domain.query import is_withheld
from vademecum.domain.relations import MAY_REPLACE
from vademecum.plugin_api.memory import Context
from vademecum.plugin_api.upkeep import turns_of
from vademecum.plugin_api.vault import File, place, read, read_memory, render, slugify, without_callouts
from vademecum.plugin_api.writing import STANDING, Guard, guarded, must_not_be_forgotten, step_for
from vademecum.plugins.team.values import COPY_MAX_CHARS, MIRROR, SHARED_KINDS, Published

#: Actor that writes received copies: judged like an agent, and trusted less.
BY_TEAM = By("agent", "team")
#: Actor that ends conflicts with copies that go: this program, not the colleague.
BY_PARTING = By("extraction", "team")
#: Property of a mirrored copy: hash of the received text, by which an edit of the person is detected.
COPIED = "copied"

#: Property with the words that a memory rests on, and most of them that are sent when nobody chose them.
EXCERPT, EXCERPT_MAX_CHARS = "mining_excerpt", 600

#: Properties of a memory that are shared with its text. Source, persons concerned and delivery options are not.
_SHARED = ("facet", "summary", "tags", "topics", "confidence", "importance", "valid_from", "valid_until", "project")
_STANDING = ("active", "resolved")


def copy_of(context: Context, memory: Memory, author: str, *, evidence: bool) -> Published:
    """Return the copy of a memory that would be shared.

    Args:
        evidence: with the words that it rests on.

    Raises:
        Refused: it is private, pending, from somebody else, about the person, or contains text that the guard blocks.
    """
    why = _why_not(context, memory)
    if why:
        raise Refused(f"{memory.title!r} stays here: {why}", "Nothing was sent.")
    values: dict[str, Any] = {name: getattr(memory, name) for name in _SHARED}
    values |= {"said": memory.said, EXCERPT: excerpt_of(context, memory)} if evidence else {}
    values = {name: list(value) if isinstance(value, tuple) else value for name, value in values.items() if value}
    front = render({"id": memory.id, "kind": memory.kind, "title": memory.title, "created": memory.created, **values})
    text = front + memory.body
    must_be_clean(context.guard, text)
    return Published(memory.id, author, memory.title, text)


def excerpt_of(context: Context, memory: Memory) -> str:
    """Return the words that a memory rests on: those quoted when it was saved, else the person's own in the turns that it is from."""
    excerpt = str(memory.extra.get(EXCERPT) or "")
    if excerpt:
        return excerpt
    return "\n".join(passage.text for passage in turns_of(context, memory) if passage.speaker == "user")[:EXCERPT_MAX_CHARS]


def blank_copy(identity: str) -> str:
    """Return an empty copy that replaces a withdrawn one."""
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
    """Check that the guard would remove nothing from a text.

    Raises:
        Refused: it contains a secret, personal data under the policy, or hidden characters; or it is too long.
    """
    if len(text) > COPY_MAX_CHARS:
        raise Refused(f"It is longer than {COPY_MAX_CHARS:,} characters.", "Share a part of it as a memory of its own.")
    verdict = guard.judge(text, trust=QUARANTINED, interface="team")
    texts = sorted({f"{finding.kind} ({finding.rule})" for finding in verdict.findings if finding.kind != "command"})
    if texts or guard.count_placeholders(text):
        raise Refused(f"It holds what must not leave: {', '.join(texts) or 'the place of a secret'}.", "Nothing was sent.")


def parsed(copy: Published, space: Space) -> Memory:
    """Parse a copy.

    Raises:
        InvalidInput: it is malformed, or of a kind that is not shared.
    """
    memory = read_memory(copy.text.encode("utf-8", "replace"), space, "x.md", datetime.fromtimestamp(0, UTC)).memory
    if not is_id(copy.id) or memory.id != copy.id:
        raise InvalidInput("The text does not bear the id of its memory.")
    if memory.kind not in SHARED_KINDS or not memory.title.strip() or len(copy.text) > COPY_MAX_CHARS:
        raise InvalidInput(f"The memory {copy.id} has no title, is too long, or is of a kind that is not shared.")
    return memory


def file_of(context: Context, copy: Published, space: Space) -> File:
    """Return the mirror file of a copy: cleaned, with external trust, and quarantined if it instructs an agent.

    Raises:
        Refused: blocked by the guard, or forgotten by the person. InvalidInput: it is malformed.
    """
    memory = parsed(copy, space)
    given: dict[str, Any] = {name: getattr(memory, name) for name in _SHARED if getattr(memory, name)}
    given |= {name: value for name, value in (("said", memory.said), (EXCERPT, memory.extra.get(EXCERPT))) if value}
    given |= {"created": memory.created, "source": f"{COLLEAGUE}{space.name.removeprefix(MIRROR)}/{slugify(copy.author)}"}
    draft = Draft(memory.kind, memory.title, memory.body, memory.tags, space.name, given)
    draft, _, waits = guarded(context, draft, BY_TEAM)
    must_not_be_forgotten(context, draft, BY_TEAM)
    status: Status = "inbox" if waits else "active"
    values: dict[str, Any] = {
        name: list(value) if isinstance(value, tuple) else value for name, value in draft.properties.items() if value
    }
    if not waits:
        values[MAY_REPLACE] = list(_against(context, draft)) or None
    values |= {"tags": list(draft.tags) or None, "status": status, "trust": QUARANTINED, COPIED: digest_of_body(draft.body)}
    front = render({"id": copy.id, "kind": memory.kind, "title": draft.title, **values})
    path = place(KINDS[memory.kind], slugify(draft.title), status=status, group="")
    return File(copy.id, space.name, path, front + draft.body, {})


def _against(context: Context, draft: Draft) -> tuple[str, ...]:
    """Return ids of the reader's own memories that a received copy conflicts with.

    Only the copy says so: what a colleague claims changes no file of the reader, who decides by `vade settle`.
    """
    step = step_for(context, draft, among=STANDING)
    found = (*(step.others if step.relation in ("update", "contradict") else ()), step.likely, *step.also_likely)
    items = context.index.items([f"memory://{identity}" for identity in dict.fromkeys(found) if identity])
    return tuple(key.removeprefix("memory://") for key, item in items.items() if not item.space.startswith(MIRROR))


def digest_of_body(body: str) -> str:
    """Return a hash of the text of a copy, without what this program adds when another memory contradicts it."""
    return hashlib.blake2b(without_callouts(body).strip().encode("utf-8", "replace"), digest_size=8).hexdigest()


def copied_of(file: File) -> object:
    """Return the hash of its text that a received copy's file holds."""
    return read(file.text).values().get(COPIED)


def is_changed_here(memory: Memory) -> bool:
    """Return whether the person edited or confirmed a mirrored copy, or decided that it holds in place of another memory."""
    return memory.trust != QUARANTINED or bool(memory.supersedes) or memory.extra.get(COPIED) != digest_of_body(memory.body)
