"""The member's side: join a space, mirror it, share with it, leave it.

A mirror is a folder of Markdown in the data folder. It is recalled like any other space, also offline. Only commands and a job of the
helper contact the server.
"""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal, TypeVar

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from vademecum.domain.errors import AlreadyExists, InvalidInput, NotFound, Problem, Refused, TeamUnavailable
from vademecum.domain.memory import Memory
from vademecum.plugin_api.memory import Context, forgotten
from vademecum.plugin_api.upkeep import index_written, part_from
from vademecum.plugin_api.vault import File, check_slug, slugify
from vademecum.plugins.team.client import TeamFiles
from vademecum.plugins.team.copies import (
    BY_PARTING,
    BY_TEAM,
    COPIED,
    blank_copy,
    copied_of,
    copy_of,
    excerpt_of,
    file_of,
    is_changed_here,
)
from vademecum.plugins.team.ports import Teams
from vademecum.plugins.team.values import AuditEntry, Change, Found, Joined, Member, Published, Role, invitation_of, timeline_of

T = TypeVar("T")


class Mirrored(Struct, frozen=True):
    """Result of updating a mirror.

    Attributes:
        taken, dropped: new or changed copies; withdrawn copies. waiting: new copies in quarantine.
        against: copies that conflict with memories of the person, which may both be seen and settled.
        kept: copies that changed on the server but stay, because the person edited or confirmed them. own: the person's own memories.
        withdrawn: copies of the person that were withdrawn because they were forgotten here.
        missing: ids of memories shared from here that a restored server no longer has. adrift: number of such copies of others, which
            stay here. again: ids of the person's copies that a restored server has, but that were not shared from here or were withdrawn.
    """

    space: str
    taken: int = 0
    waiting: int = 0
    against: int = 0
    dropped: int = 0
    kept: int = 0
    own: int = 0
    withdrawn: int = 0
    missing: tuple[str, ...] = ()
    adrift: int = 0
    again: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()


class Selection(Struct, frozen=True):
    """What to share: named memories, or all of a kind, of a project or both. evidence: with the words that they rest on."""

    refs: tuple[str, ...] = ()
    kind: str = ""
    project: str = ""
    evidence: bool = False


class Shared(Struct, frozen=True):
    """What was or would be shared.

    Attributes:
        stays: matching memories that are not shared, each with the reason.
        unquoted: number of copies without the words that they rest on, which could be sent too.
    """

    space: str
    copies: tuple[Published, ...]
    sent: bool
    stays: tuple[str, ...] = ()
    unquoted: int = 0


class Left(Struct, frozen=True):
    """Result of leaving a space.

    Attributes:
        stay: titles of the copies that the person edited, confirmed or preferred, which become memories of their own.
    """

    space: str
    removed: int
    stay: tuple[str, ...] = ()
    done: bool = True
    note: str = ""


class Invitation(Struct, frozen=True):
    """An invitation, shown once. role: "": unchanged. address: "": this device already uses the new token."""

    space: str
    name: str
    role: Role | Literal[""]
    address: str


class Done(Struct, frozen=True):
    """Whether anything was done."""

    done: bool


class Exported(Struct, frozen=True):
    """Result of an export of copies as Markdown."""

    space: str
    folder: str
    copies: int


def join(context: Context, address: str, token_file: str = "") -> Mirrored:
    """Join the space of an invitation, and fetch its copies.

    Args:
        token_file: file with the current single sign-on token; "": the invitation contains a token.

    Raises:
        InvalidInput: the invitation is malformed. AlreadyExists: a space of that name is joined already.
        Refused: the token is not valid. TeamUnavailable: the server does not answer.
    """
    url, space, token = invitation_of(address, token_file)
    if any(known.space == check_slug(space, "space") for known in spaces(context)):
        raise AlreadyExists(f"You are in a space {space} already.", f"To come in anew: vade team leave {space}")
    fresh = Joined(space, url, token, token_file=str(Path(token_file).expanduser().absolute()) if token_file else "")
    member = msgspec.convert(_teams(context).ask(fresh, "me", {}), Member)
    joined = replace(fresh, member=member.name, role=member.role)
    _teams(context).keep(joined)
    return mirror(context, space)


def spaces(context: Context) -> tuple[Joined, ...]:
    """Return the joined spaces, by name."""
    return _teams(context).joined()


def mirror_all(context: Context) -> tuple[Mirrored, ...]:
    """Update all mirrors. A server that does not answer does not stop the others."""
    return tuple(_or_problem(context, space) for space in spaces(context))


def _or_problem(context: Context, joined: Joined) -> Mirrored:
    try:
        return mirror(context, joined.space)
    except (TeamUnavailable, Refused) as error:
        return Mirrored(joined.space, problems=(Problem(joined.space, f"{error.message} {error.hint}".strip()),))


def mirror(context: Context, space: str) -> Mirrored:
    """Update one mirror: fetch changes since the cursor, and delete withdrawn copies.

    If killed, it continues after the last complete page. A restored server sends everything again: existing copies are not rewritten,
    and copies that the server lost stay here.

    Raises:
        NotFound: no such space is joined. Refused, TeamUnavailable.
    """
    joined = _joined(context, space)
    here = replace(context)  # a new vault, which includes spaces joined since this one was opened
    done = replace(Mirrored(space), withdrawn=_withdraw_forgotten(here, joined, joined.shared))
    anew = False
    while page := _page(context, space):
        joined = _joined(context, space)
        if not anew and _is_restored(joined, page):
            anew, joined = True, replace(joined, cursor=0, missing=_all_here(here, joined))
        cursors = [joined.cursor, *(change.cursor for change in page)]
        if any(later <= earlier for earlier, later in pairwise(cursors)):
            raise TeamUnavailable(f"The server of {space} answers what makes no sense: its changes do not go on.")
        done = _follow(here, joined, page, done, anew=anew)
    return _with_missing(here, _joined(context, space), done)


def _page(context: Context, space: str) -> tuple[Change, ...]:
    joined = _joined(context, space)
    return msgspec.convert(_ask(context, joined, "changes", after=joined.cursor), tuple[Change, ...])


def _follow(context: Context, joined: Joined, page: Sequence[Change], done: Mirrored, *, anew: bool) -> Mirrored:
    """Apply a page, store its cursor, and withdraw forgotten memories of the person that came back."""
    done = _take_in(context, joined, page, done)
    names = {change.id for change in page}
    missing = tuple(entry for entry in joined.missing if entry not in names)
    _teams(context).keep(replace(joined, cursor=page[-1].cursor, missing=missing))
    mine = [change.id for change in page if change.copy and change.copy.author == joined.member]
    withdrawn = done.withdrawn + _withdraw_forgotten(context, joined, mine)
    again = [entry for entry in mine if anew and entry not in joined.shared and _known(context, entry)]
    return replace(done, withdrawn=withdrawn, again=(*done.again, *again))


def _is_restored(joined: Joined, page: Sequence[Change]) -> bool:
    """Return whether the server was restored: the page is of another timeline, or behind this mirror."""
    followed = joined.cursor > 0 or bool(joined.shared)
    return followed and (timeline_of(page[0].cursor) > timeline_of(joined.cursor) or page[0].cursor <= joined.cursor)


def _all_here(context: Context, joined: Joined) -> tuple[str, ...]:
    copies = (memory.id for memory in context.vault.files() if memory.space == joined.mirror and not is_changed_here(memory))
    return tuple(dict.fromkeys((*joined.shared, *copies)))


def _with_missing(context: Context, joined: Joined, done: Mirrored) -> Mirrored:
    """Return the result with what a restored server no longer has."""
    known = {identity: memory for identity in joined.missing if (memory := _known(context, identity))}
    mine = tuple(entry for entry, memory in known.items() if memory.space != joined.mirror)
    return replace(done, missing=mine, adrift=len(known) - len(mine))


def _take_in(context: Context, joined: Joined, page: Sequence[Change], done: Mirrored) -> Mirrored:
    space = next(one for one in context.vault.spaces if one.name == joined.mirror)
    gone, files, problems = set[str](), [], []
    known = {change.id: _known(context, change.id) for change in page}
    kept = own = 0
    for change in page:
        before = known[change.id]
        if before is not None and before.space != space.name:
            own += 1
        elif before is not None and is_changed_here(before):
            kept += 1
        else:
            file = None
            try:
                file = file_of(context, change.copy, space) if change.copy and _is_wanted(context, change.id) else None
            except (Refused, InvalidInput) as error:
                problems.append(Problem(change.id, error.message))
            if before and file and _is_known(context, before, file):
                continue  # sent again by a restored server, or put away by the person
            gone |= {change.id} if before else set()
            files += [file] if file else []
    if gone:
        part_from(context, gone, by=BY_PARTING)
        context.vault.erasure.erase(gone, str, everywhere=False, by=BY_TEAM, op="withdraw")
    written = context.vault.put_back(files, "mirror", by=BY_TEAM) if files else ()
    index_written(context, (), gone - {memory.id for memory in written})
    return replace(
        done,
        taken=done.taken + len(written),
        waiting=done.waiting + sum(memory.status == "inbox" for memory in written),
        against=done.against + sum(bool(memory.may_replace) for memory in written),
        dropped=done.dropped + len(gone - {memory.id for memory in written}),
        kept=done.kept + kept,
        own=done.own + own,
        problems=(*done.problems, *problems),
    )


def _is_known(context: Context, before: Memory, file: File) -> bool:
    """Return whether a received copy is in the mirror as it is, or the person put it away and it says the same still."""
    put_away = before.status in ("archived", "superseded", "resolved")
    return context.vault.file(before.id)[1] == file.text or (put_away and before.extra.get(COPIED) == copied_of(file))


def _known(context: Context, identity: str) -> Memory | None:
    try:
        return context.vault.get(identity)
    except NotFound:
        return None


def _is_wanted(context: Context, identity: str) -> bool:
    return identity not in forgotten(context).memories


def _withdraw_forgotten(context: Context, joined: Joined, sent: Iterable[str]) -> int:
    """Withdraw copies of memories that the person has forgotten since: forgetting covers every reachable copy, also on a restored
    server."""
    gone = forgotten(context).memories & set(sent)
    for identity in sorted(gone):
        _withdraw(context, _joined(context, joined.space), identity)
    return len(gone)


def share(context: Context, selected: Selection, to: str, *, yes: bool) -> Shared:
    """Publish memories to a space, or only return what would be shared.

    Of a kind or a project those that may not be shared are left out.

    Raises:
        Refused: a named memory is private or contains blocked text; none was sent. NotFound: no such memory or space.
    """
    joined = _joined(context, to)
    refs, evidence = selected.refs, selected.evidence
    if bool(refs) == bool(selected.kind or selected.project):
        raise InvalidInput(
            "Name memories, or say of which kind or project all are meant.",
            "vade share REF --to SPACE, or: vade share --kind decision --project PROJECT --to SPACE",
        )
    mirrors = {space.mirror for space in spaces(context)}
    stays: tuple[str, ...] = ()
    if refs:
        memories = [context.vault.get(ref) for ref in refs]
        if foreign := [memory for memory in memories if memory.space in mirrors]:
            raise Refused(
                f"{foreign[0].title!r} is a copy of a colleague's.", "Save what you make of it as a memory of your own."
            )
        copies = tuple(copy_of(context, memory, joined.member, evidence=evidence) for memory in memories)
    else:
        own = [memory for memory in context.vault.files() if memory.space not in mirrors and memory.status == "active"]
        memories = _of(own, selected.kind, selected.project)
        copies, stays = _all_that_may_leave(context, memories, joined.member, evidence=evidence)
    if yes:
        for copy in copies:
            joined = replace(joined, shared=tuple(dict.fromkeys((*joined.shared, copy.id))))
            _teams(context).keep(joined)  # stored before sending, so that it is known even if the answer is lost
            _ask(context, joined, "publish", id=copy.id, text=copy.text)
    leaving = {copy.id for copy in copies}
    unquoted = () if evidence or yes else (memory for memory in memories if memory.id in leaving)
    return Shared(to, copies, yes, stays, sum(bool(excerpt_of(context, memory)) for memory in unquoted))


def _of(memories: Iterable[Memory], kind: str, project: str) -> list[Memory]:
    """Return the memories of a kind and a project, sorted by title; "" for any."""
    chosen = [memory for memory in memories if kind in ("", memory.kind) and project in ("", memory.project)]
    return sorted(chosen, key=lambda memory: (memory.title.lower(), memory.id))


def _all_that_may_leave(
    context: Context, memories: Iterable[Memory], author: str, *, evidence: bool
) -> tuple[tuple[Published, ...], tuple[str, ...]]:
    copies, stays = [], []
    for memory in memories:
        try:
            copies.append(copy_of(context, memory, author, evidence=evidence))
        except Refused as error:
            stays.append(error.message)
    return tuple(copies), tuple(stays)


def withdraw(context: Context, ref: str, space: str) -> Done:
    """Withdraw a copy from a space; mirrors delete it with their next update. Return whether there was one.

    Raises:
        Refused: it belongs to another member, and the caller is no keeper.
    """
    joined = _joined(context, space)
    known = _known(context, ref)
    return Done(_withdraw(context, joined, known.id if known else ref.removeprefix("memory://").upper()))


def _withdraw(context: Context, joined: Joined, identity: str) -> bool:
    done = bool(_ask(context, joined, "withdraw", id=identity))
    if not done and identity in joined.missing:
        # A restored server lost the copy, but mirrors may have it: publish an empty copy and withdraw that.
        _ask(context, joined, "publish", id=identity, text=blank_copy(identity))
        done = bool(_ask(context, joined, "withdraw", id=identity))
    shared, missing = (tuple(entry for entry in ids if entry != identity) for ids in (joined.shared, joined.missing))
    _teams(context).keep(replace(joined, shared=shared, missing=missing))
    return done


def leave(context: Context, space: str, *, yes: bool = False) -> Left:
    """Leave a space: the token is revoked, and the mirror is deleted. Copies that the person edited, confirmed or preferred become
    memories of their own, and no memory of theirs stays in conflict with one that is gone. Without `yes` only count them.

    Leaving works even if the server does not answer; then the token stays valid until a keeper revokes it.
    """
    joined = _joined(context, space)
    here = replace(context)
    copies = [memory for memory in here.vault.files() if memory.space == joined.mirror]
    own = [memory for memory in copies if is_changed_here(memory)]
    stay = tuple(memory.title for memory in own)
    if not yes:
        return Left(space, len(copies) - len(own), stay, done=False)
    text = ""
    try:
        _ask(context, joined, "revoke")
    except TeamUnavailable as error:
        text = f"{error.message} The token was not revoked there by this command; a keeper can do that."
    except Refused:
        pass  # the token is already invalid
    for memory in own:
        _make_own(here, memory, space)
    gone = {memory.id for memory in copies} - {memory.id for memory in own}
    part_from(here, gone, by=BY_PARTING)
    here.vault.erasure.erase(gone, str, everywhere=False, by=BY_TEAM, op="leave")
    index_written(here, (), gone)
    _teams(context).drop(joined)
    return Left(space, len(gone), stay, note=text)


def _make_own(context: Context, memory: Memory, team: str) -> None:
    """Move a copy into the person's own memory, under a title that says where it comes from if its own is taken there."""
    personal = context.vault.spaces[0].name
    try:
        context.vault.relocate(memory.id, space=personal)
    except AlreadyExists:
        context.vault.relocate(memory.id, space=personal, title=f"{memory.title} ({team})")
    context.vault.edit(memory.id, properties={COPIED: None})


def members(context: Context, space: str) -> tuple[Member, ...]:
    """Return current and former members of a space."""
    return msgspec.convert(_ask(context, _joined(context, space), "members"), tuple[Member, ...])


def invite(context: Context, space: str, name: str, role: Role, service: bool, sign_in: str) -> Invitation:
    """Add a member and return the invitation, which is shown only once. An existing member of that name gets a new token.

    Args:
        service: the member is a program, which cannot be a keeper. sign_in: subject of single sign-on, instead of a token; "" for none.

    Raises:
        Refused: the caller is no keeper, or the server has no single sign-on.
    """
    joined = _joined(context, space)
    more = {"kind": "service"} if service else {}
    more |= {"sign_in": sign_in} if sign_in else {}  # a server of an earlier version knows neither
    token = _ask(context, joined, "invite", name=name, role=role, **more)
    return Invitation(space, name, role, f"{joined.url}/{space}#{token}".rstrip("#"))


def rotate(context: Context, space: str, name: str) -> Invitation:
    """Replace a token: one's own, which this device then uses, or as a keeper that of a member, whose invitation is returned.

    Raises:
        Refused: only a keeper may do so for others. NotFound: there is no such member.
    """
    joined = _joined(context, space)
    token = str(_ask(context, joined, "rotate", name=name))
    if name in ("", joined.member):
        _teams(context).keep(replace(_joined(context, space), token=token))
        return Invitation(space, joined.member, joined.role, "")
    return Invitation(space, name, "", f"{joined.url}/{space}#{token}")


def revoke(context: Context, space: str, name: str) -> Done:
    """Revoke a member; return whether there was one. Copies on their device are not deleted.

    Raises:
        Refused: the caller is no keeper.
    """
    return Done(bool(_ask(context, _joined(context, space), "revoke", name=name)))


def audit(context: Context, space: str, limit: int = 100) -> tuple[AuditEntry, ...]:
    """Return the audit lines of a space, newest first.

    Raises:
        Refused: the caller is no keeper.
    """
    return msgspec.convert(_ask(context, _joined(context, space), "audit", limit=limit), tuple[AuditEntry, ...])


def search(context: Context, question: str, space: str, limit: int = 10) -> tuple[Found, ...]:
    """Search on the server, for copies that are not in the mirror yet."""
    asked = _ask(context, _joined(context, space), "search", question=question, limit=limit)
    return msgspec.convert(asked, tuple[Found, ...])


def export(context: Context, space: str, folder: str) -> Exported:
    """Write the current copies of a space as Markdown into a new folder.

    Raises:
        AlreadyExists: the folder exists.
    """
    joined, target = _joined(context, space), Path(folder)
    if target.exists() and any(target.iterdir()):
        raise AlreadyExists(f"{folder} is not empty; nothing was written.", "Name a new folder.")
    count, after = 0, 0
    while page := msgspec.convert(_ask(context, joined, "changes", after=after), tuple[Change, ...]):
        after = page[-1].cursor
        count += _write(target, (change.copy for change in page if change.copy))
    return Exported(space, str(target), count)


def _write(folder: Path, copies: Iterable[Published]) -> int:
    count = 0
    for copy in copies:
        count += 1
        path = folder / f"{slugify(copy.title)}-{slugify(copy.id)[-6:]}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(copy.text, encoding="utf-8", newline="")
    return count


def _teams(context: Context) -> Teams:
    return TeamFiles(Path(context.storage.data_dir))


def _joined(context: Context, space: str) -> Joined:
    known = spaces(context)
    matching_join = next((one for one in known if one.space == space), None)
    if matching_join is None:
        hint = "Joined: " + ", ".join(one.space for one in known) if known else "Join one with: vade team join INVITATION"
        raise NotFound(f"You are in no space {space!r}.", hint)
    return matching_join


def _ask(context: Context, joined: Joined, operation: str, **values: object) -> Any:
    return _teams(context).ask(joined, operation, values)
