"""Verbs of a team: join spaces, mirror them, share memories, manage members."""

from typing import Any

from msgspec.structs import replace

from vademecum.plugin import on_context
from vademecum.plugin_api.memory import Vademecum
from vademecum.plugin_api.verbs import Param, Verb, ref_param
from vademecum.plugins.team import membership
from vademecum.plugins.team.membership import Done, Invitation, Left, Mirrored, Selection, Shared
from vademecum.plugins.team.values import ROLES, AuditEntry, Found, Joined, Member

_SPACE = Param("space", "text", "Name of the space.", place=True, max_chars=80)
_NAME = Param("name", "text", "Name of a member.", place=True, max_chars=80)
_YES = Param("yes", "flag", "Do it; without this it only shows what it would do.", False)


def mirrored_text(result: tuple[Mirrored, ...] | Mirrored) -> str:
    """Return the received and withdrawn copies, a line for each space."""
    every = result if isinstance(result, tuple) else (result,)
    return "\n".join(line for mirror in every for line in _mirrored(mirror)) or "You are in no space of a team."


def _mirrored(mirror: Mirrored) -> list[str]:
    counts = {
        "came": mirror.taken, "withdrawn": mirror.dropped, "kept as you changed or confirmed them": mirror.kept,
        "your own": mirror.own,
        "of yours withdrawn there, since you had them forgotten": mirror.withdrawn,
    }  # fmt: skip
    lines = [f"{mirror.space}: {', '.join(f'{count} {what}' for what, count in counts.items() if count) or 'nothing new'}"]
    if mirror.waiting:
        lines.append(f"  {mirror.waiting} of them speak to an agent and wait for you: vade review")
    if mirror.against:
        lines.append(f"  {mirror.against} of them say otherwise than memories of yours: vade settle --open")
    if mirror.missing:
        lines.append(
            f"  {mirror.space} was restored and lost what you had sent: vade share {' '.join(mirror.missing)} --to {mirror.space} --yes"
        )
    if mirror.adrift:
        lines.append(f"  {mirror.adrift} copies of others are only here since then: their authors can share them anew")
    for identity in mirror.again:
        lines.append(
            f"  {mirror.space} was restored and has back what you may have taken back: vade unshare {identity} --from {mirror.space}"
        )
    return [*lines, *(f"  problem: {why.path}: {why.message}" for why in mirror.problems)]


def spaces_text(joined: tuple[Joined, ...]) -> str:
    """Return the joined spaces, without tokens."""
    lines = [
        f"{space.space:<20}{space.role:<8}as {space.member}, {space.url}; {len(space.shared)} sent from here"
        for space in joined
    ]
    return "\n".join(lines) or "You are in no space of a team. Join one with: vade team join INVITATION"


def shared_text(result: Shared) -> str:
    """Return what was or would be sent, verbatim."""
    stays = "".join(f"\n{line}" for line in result.stays)
    if not result.copies:
        return f"Nothing would leave this device for {result.space}.{stays}"
    if result.sent:
        titles = "\n".join(f"  {published.title}" for published in result.copies)
        return f"Sent to {result.space}:\n{titles}\nTake one back: vade unshare REF --from {result.space}{stays}"
    texts = "\n\n".join(published.text.rstrip() for published in result.copies)
    quotes = (
        f"\nThe words that {result.unquoted} of these rest on stay here; to send them too: --evidence"
        if result.unquoted
        else ""
    )
    head = f"This would leave this device for {result.space}, and members keep what they fetched:"
    return f"{head}\n\n{texts}\n{stays}{quotes}\nTo do it: --yes"


def left_text(result: Left) -> str:
    """Return what leaving removes."""
    copies = "1 copy" if result.removed == 1 else f"{result.removed} copies"
    stay = f"What you changed, confirmed or preferred becomes your own: {'; '.join(result.stay)}." if result.stay else ""
    if not result.done:
        return f"Leaving {result.space} removes {copies} from this device. {stay}\nTo do it: --yes".replace(" \n", "\n")
    return " ".join(filter(None, (f"You left {result.space}; removed from this device: {copies}.", stay, result.note)))


def members_text(members: tuple[Member, ...]) -> str:
    """Return current and former members."""
    return "\n".join(
        f"{member.name:<20}{member.role:<8}since {member.since:%Y-%m-%d}"
        + (", a program" if member.kind == "service" else "")
        + (f", signs in as {member.sign_in}" if member.sign_in else "")
        + (f", until {member.revoked:%Y-%m-%d}" if member.revoked else "")
        for member in members
    )


def audit_text(entries: tuple[AuditEntry, ...]) -> str:
    """Return the audit lines, newest first."""
    return "\n".join(
        f"{entry.at:%Y-%m-%d %H:%M:%S}  {entry.member:<16}{entry.what:<10}{entry.subject}".rstrip() for entry in entries
    )


def found_text(found: tuple[Found, ...]) -> str:
    """Return the search results of the server, marked as data."""
    lines = [
        f"{located.score:.2f}  {located.title} ({located.author})\n      {' '.join(located.text.split())[:200]}"
        for located in found
    ]
    return "\n".join(lines) or "Nothing there has any of these words."


def _rotated_text(given: Invitation) -> str:
    return _invited_text(given) if given.address else f"{given.space}: this device uses another token from now on."


def _invited_text(given: Invitation) -> str:
    if "#" not in given.address:
        return f"{given.name} signs in, and joins with:\n  vade team join '{given.address}' --token-file FILE"
    return f"For {given.name}, shown this once; send it on a way that others cannot read:\n  vade team join '{given.address}'"


def _share(memory: Vademecum, ref: tuple[str, ...], chosen: Selection, to: str, yes: bool) -> Shared:
    return membership.share(memory.context, replace(chosen, refs=tuple(ref)), to, yes=yes)


def _withdraw(memory: Vademecum, ref: str, **given: Any) -> Done:
    return membership.withdraw(memory.context, ref, given["from"])


def _sync(memory: Vademecum, space: str) -> tuple[Mirrored, ...]:
    return (membership.mirror(memory.context, space),) if space else membership.mirror_all(memory.context)


VERBS = (
    Verb("share", "Publish memories to a space of your team. It shows first what would leave; what is private never does.", (
        Param("ref", "list", "Memories, each by an id, the start of one, a path or a title.", (), place=True, named="memory",
              commas=False),
        Param("to", "text", "The space.", max_chars=80),
        Param("kind", "text", "Instead of naming them: all of this kind.", ""),
        Param("project", "text", "Instead of naming them: all of this project.", "", max_chars=200),
        Param("evidence", "flag", "With the words of your conversations that they rest on, which are shown first.", False),
        _YES,
    ), _share, shared_text, {"chosen": Selection}, writes=True, agents=False, consent="yes", lasting=True),
    Verb("unshare", "Erase a copy from a space of your team; mirrors drop it when they next ask.",
         (ref_param(), Param("from", "text", "The space.", max_chars=80)), _withdraw,
         lambda done: "Withdrawn." if done.done else "There was no such copy.", writes=True, agents=False),
    Verb("team spaces", "The spaces that you joined.", (), on_context(membership.spaces), spaces_text, agents=False),
    Verb("team join",
         "Join a space and fetch its copies: they are recalled like your own memories, marked as another's, also offline.", (
        Param("address", "text", "The invitation: https://HOST:PORT/SPACE#TOKEN, in quotes.", place=True, max_chars=2000),
        Param("token_file", "text", "For single sign-on: a file that holds your token at each moment.", "", max_chars=4000),
    ), on_context(membership.join), mirrored_text, writes=True, agents=False),
    Verb("team sync", "Have the mirrors follow their servers now; a helper does so every five minutes.",
         (Param("space", "text", "Only this one.", "", place=True, max_chars=80),), _sync, mirrored_text, writes=True,
         failed=lambda result: any(entry.problems for entry in result), agents=False),
    Verb("team leave", "Leave a space: your token ends, and its copies go from this device.", (_SPACE, _YES),
         on_context(membership.leave), left_text, writes=True, agents=False, consent="yes", lasting=True),
    Verb("team members", "Who is or was in a space.", (_SPACE,), on_context(membership.members), members_text, agents=False),
    Verb("team invite", "Let somebody into a space, as its keeper; their invitation is shown this once.",
         (_SPACE, _NAME, Param("role", "text", "What they may do there.", "writer", choices=ROLES),
          Param("service", "flag", "It is the account of a program, which cannot be a keeper.", False),
          Param("sign_in", "text", "What single sign-on calls them; then they have no other token.", "", max_chars=200)),
         on_context(membership.invite), _invited_text, writes=True, agents=False),
    Verb("team invite --rotate",
         "Get another token in place of yours, or as a keeper one for another member; the one before opens nothing.",
         (_SPACE, Param("name", "text", "Whose; without it yours.", "", place=True, max_chars=80)), on_context(membership.rotate),
         _rotated_text, writes=True, agents=False),
    Verb("team revoke", "Show somebody out of a space, as its keeper: their token ends at once.", (
        _SPACE,
        _NAME,
    ), on_context(membership.revoke),
       lambda done: ("Their token opens nothing any more." if done.done else "There is no such member, or they are out already."),
       writes=True, agents=False),
    Verb("team audit", "Who did what in a space, for its keeper, the latest first.",
         (_SPACE, Param("limit", "number", "Maximum number of lines.", 100, least=1, most=1000)), on_context(membership.audit), audit_text,
         agents=False),
    Verb("team search", "Ask the server itself, for what is not on this device yet.", (
        Param("question", "words", "What to look for.", place=True, max_chars=4000),
        Param("space", "text", "The space.", max_chars=80),
        Param("limit", "number", "Most copies.", 10, least=1, most=50),
    ), on_context(membership.search), found_text, agents=False),
    Verb("team export", "Write all copies of a space as Markdown into a new folder.",
         (_SPACE, Param("folder", "text", "A new folder.", place=True, max_chars=4000)), on_context(membership.export),
         lambda done: f"{done.copies} copies of {done.space}: {done.folder}", agents=False),
)  # fmt: skip
