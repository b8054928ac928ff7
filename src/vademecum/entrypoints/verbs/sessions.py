"""Verbs to read conversations, and to continue one."""

from vademecum.api import Vademecum
from vademecum.domain.query import SessionFilter, SessionHit, SessionSearch
from vademecum.domain.saved import Saved
from vademecum.domain.session import SPOKEN, Session, Turn
from vademecum.domain.uris import session_ref
from vademecum.entrypoints.text import bundle_text, day, describe, moment, saved_text, snippet
from vademecum.entrypoints.verbs.verb import Param, Verb
from vademecum.maintenance.undo_many import Undone
from vademecum.sessions.archived import ArchiveReport, Exported, Restored
from vademecum.sessions.exclude import Eligible
from vademecum.sessions.lookup import SessionLine

_CALLED = Param("ref", "text", "An id, the start of one, a path, a title, or the session's URI.", place=True)

#: Heading of matches without the exact words.
_FOUND_BY = {
    "near": "No exact match. Nearest results:",
    "far": "No match in the conversations that were read. Nearest results, possibly about something else:",
}

#: How many turns beside a match are shown unasked.
_BESIDE = 3
#: First word of two-word verbs -> what they are about.
FIRST_WORDS = {"sessions": "Conversations: list, read, search and export them."}


def sessions_text(result: tuple[SessionLine, ...]) -> str:
    """Return a line for each conversation."""
    if not result:
        return "No conversation is known yet. Read them with: vade capture"
    return "\n".join(_session_line(session) for session in result)


def _session_line(session: SessionLine) -> str:
    kept = "archived" if session.archived else "not archived"
    facts = [
        f"{session.turns} turns",
        session.project,
        session.stage,
        kept if session.there else f"{kept}, deleted by its host",
    ]
    facts += ["nothing is learnt from it"] if session.excluded else []
    text = f"{day(session.updated)}  {session.title}  ({', '.join(fact for fact in facts if fact)})  {session_ref(session.session)}"
    text += f"\n  {session.about}" if session.about else ""
    text += f"\n  {session.cut}" if session.cut else ""
    return f"{text}\n  failed: {session.error}" if session.error else text


def eligible_text(result: Eligible) -> str:
    """Return whether a conversation is learnt from, and how to change that."""
    short = session_ref(result.session)
    name = f"{result.title}  ({short})" if result.title else short
    if result.eligible:
        return f"Memories are taken again from {name}, from what is said in it from now on.\nWhat was said before: vade mark {short}"
    text = f"Nothing more is learned from {name}. It stays in the archive and in sessions search; no answer uses it."
    if result.learnt:
        count = len(result.learnt)
        text += f"\nIt gave {count} {'memory' if count == 1 else 'memories'} before; they stay."
        text += f" To delete them and the conversation: vade forget --source {result.session}"
    return f"{text}\nTo take it back: vade sessions exclude --undo {short}"


def session_undone_text(result: Undone) -> str:
    """Return which memories of a conversation were undone, and which stay."""
    return taken_back_text(result) or "No memory was saved from this conversation."


def taken_back_text(result: Undone) -> str:
    """Return what was undone, and what stays and why."""
    lines = [f"taken back: {title}" for title in result.titles]
    return "\n".join([*lines, *(f"stays: {title} ({why})" for title, why in result.stay)])


def session_text(result: Session) -> str:
    """Return the turns of a conversation; output of tools is indented."""
    head = [result.title or result.id, *(f"{name} {value}" for name, value in _header(result) if value), ""]
    return "\n".join([*head, *(_turn_line(turn) for turn in result.turns)])


def _header(result: Session) -> tuple[tuple[str, str], ...]:
    started = f"{result.started:%Y-%m-%d %H:%M}" if result.started else ""
    return (
        ("conversation", f"{result.id} in {result.host}"),
        ("project", result.project), ("folder", result.cwd), ("branch", result.branch), ("started", started),
        ("so far", result.summary),
    )  # fmt: skip


def _turn_line(turn: Turn) -> str:
    when = f"{turn.time:%H:%M} " if turn.time else ""
    if turn.role in SPOKEN:
        return f"{when}{turn.name or turn.role}: {turn.text}\n"
    return f"    {when}[{turn.role}] {snippet(turn.text, limit=160)}"


def session_search_text(result: SessionSearch) -> str:
    """Return matches with the turns around them, or uses of tools."""
    lines = [_FOUND_BY[result.verdict]] if result.verdict in _FOUND_BY else []
    lines += [line for position, hit in enumerate(result.hits, 1) for line in _place_lines(position, hit, result.question)]
    for item, touch in result.touches:
        lines.append(
            f"{moment(touch.time or item.updated)}{touch.tool} {touch.file}\n   {item.title}  (vade sessions show {session_ref(item.key)})"
        )
    if not result.hits and not result.touches:
        lines.append("Nothing like that was said in the conversations that were read.")
    return "\n".join(lines + [f"(without {reason})" for reason in result.missing])


def _place_lines(position: int, hit: SessionHit, question: str) -> list[str]:
    how = "exact" if hit.exact else f"{hit.score:.2f}"
    text = moment(hit.passage.time or hit.item.updated).strip()
    head = f"{position}. {hit.item.title}  ({', '.join(fact for fact in (text, hit.passage.role, how) if fact)})"
    lines = [head, f"   {snippet(hit.passage.text, question)}", f"   vade sessions show {session_ref(hit.item.key)}"]
    shown = hit.around or tuple(passage for passage in hit.chunk if passage.text != hit.passage.text)[:_BESIDE]
    return [*lines, *(f"   | {passage.speaker}: {snippet(passage.text, limit=160)}" for passage in shown)]


def restored_text(result: Restored) -> str:
    """Return where a transcript was restored to, and what is missing from it."""
    line = f"Conversation {session_ref(result.session)} is back: {result.path} ({result.bytes} bytes)"
    if result.versions > 1:
        line += f"\nIt is version {result.version} of {result.versions}; another: --version N, see vade sessions list --archive"
    if result.placeholders:
        line += f"\nSecrets that were removed before archiving stay placeholders: {result.placeholders}."
    return line


def exported_text(result: Exported) -> str:
    """Return the text of the transcript."""
    return result.text.removesuffix("\n")


def archive_text(result: ArchiveReport) -> str:
    """Return the size of the archive, what exists only there, and what is damaged."""
    size = result.size
    share = f" ({size.disk_bytes / size.source_bytes:.0%})" if size.source_bytes > 1_000_000 else ""
    cap = f", cap {size.cap_bytes / 1e6:.0f} MB" if size.cap_bytes else ""
    lines = [
        f"archive    {size.transcripts} transcripts, {size.source_bytes / 1e6:.1f} MB kept in {size.disk_bytes / 1e6:.1f} MB{share}{cap}"
    ]
    lines += [f"only here  {session_ref(record.session)}  {record.title}" for record in result.only_here]
    for version in result.versions:
        named = f"version {version.number}  {session_ref(version.session)}"
        lines.append(f"{named}  {version.turns} turns, kept {day(version.kept)}  {version.removed}".rstrip())
    lines += [f"damaged    {problem.path}: {problem.message}" for problem in result.problems]
    return "\n".join(lines if result.problems else [*lines, "no file is damaged"])


def handoff_text(result: Saved) -> str:
    """Return text and path of a handoff."""
    if result.memory is None or result.action != "confirmed":
        return saved_text(result) + (f"\n\n{result.memory.body.strip()}" if result.memory else "")
    return f"{describe(result.memory)}\n\n{result.memory.body.strip()}"  # it was written before


VERBS = (
    Verb("sessions list", "Conversations, the newest first, and whether their transcripts are archived.", (
        Param("project", "text", "Only this project's, and those of no project.", ""),
        Param("tag", "list", "Only what has one of these tags, such as a thread.", ()),
        Param("since", "date", "Only those with turns since this date.", None),
        Param("until", "date", "Only those with turns before this date.", None),
        Param("limit", "number", "Maximum number of conversations.", 50),
    ), Vademecum.sessions.list, sessions_text, signed=True),
    Verb("sessions show", "Show one conversation: all turns and the tools used.", (_CALLED,),
         Vademecum.sessions.get, session_text),
    Verb("sessions search",
         "Search conversations: exact matches first, then the nearest. Filters apply before the limit.", (
        Param("question", "words", "Words, or an exact text; none: list the uses of --tool and --file.", "", place=True),
        Param("role", "text", "Only turns by: user, agent, tool.", "",
              choices=("", "user", "agent", "tool")),
        Param("source", "text", "Only spoken turns (session), or only tool calls and their output (log).", "",
              choices=("", "session", "log")),
        Param("host", "list", "Only conversations in these tools: claude-code, codex, claude-ai, ...", ()),
        Param("tool", "list", "Only where one of these tools was used.", ()),
        Param("file", "list", "Only where one of these files was touched: a path or the end of one.", ()),
        Param("session", "text", "Only this conversation: its URI, id, file or title.", ""),
        Param("thread", "text", "Only this thread.", ""),
        Param("project", "text", "Only this project's, and those of no project.", ""),
        Param("since", "date", "Only turns since this date.", None),
        Param("until", "date", "Only turns before this date.", None),
        Param("around", "number", "Turns of context before and after.", 0, most=100),
        Param("limit", "number", "Maximum number of places.", 10),
    ), Vademecum.sessions.search, session_search_text, {"within": SessionFilter}, asks=True, signed=True),
    Verb("sessions export", "Export the archived transcript, without secrets: verbatim, or all turns of all versions.", (
        _CALLED,
        Param("version", "number", "Only this version, verbatim; 0: all of them together.", 0, most=1_000_000),
    ), Vademecum.sessions.export, exported_text),
    Verb("sessions restore",
         "Write an archived transcript back to where its host finds it. Nothing is overwritten; removed secrets stay placeholders.", (
        _CALLED,
        Param("to", "text", "Another place to write to.", ""),
        Param("version", "number", "This version, as sessions check numbers them; 0: the one with the most turns.", 0,
              most=1_000_000),
    ), Vademecum.sessions.restore, restored_text, writes=True, agents=False, needs_enabled=False),
    Verb("sessions list --archive", "Check the archive: size, sessions that exist only there, several versions, damage.", (),
         Vademecum.sessions.check_archive, archive_text),
    Verb("sessions undo",
         "Undo all memories saved from one conversation. Memories that you changed since stay; `vade history` lists the changes.", (
        Param("session", "text", "An id, the start of one, a path, a title or its URI.", place=True),
    ), Vademecum.sessions.undo, session_undone_text, writes=True, agents=False, signed=True),
    Verb("sessions exclude",
         "Exclude a conversation: nothing is learned from it and no answer uses it. It stays archived and searchable.", (
        Param("session", "text", "An id, the start of one, a path, a title or its URI; empty: the last one.", "", place=True),
    ), Vademecum.sessions.exclude, eligible_text, writes=True, needs_enabled=False),
    Verb("sessions exclude --undo", "Include an excluded conversation again, from its next turn on.",
         (Param("session", "text", "An id, the start of one, a path, a title or its URI.", place=True),),
         Vademecum.sessions.include, eligible_text, writes=True, agents=False, needs_enabled=False),
    Verb("handoff",
         "Write down where a session stopped: asked, done, open, next, files changed. An unchanged one is not written twice.", (
        Param("session", "text", "An id, the start of one, a path or a title; empty: the last session.", "", place=True),
    ), Vademecum.sessions.handoff, handoff_text, writes=True),
    Verb("handoff --working-set", "The working state of a session: goal, decisions, failing tests, changed files, exact commands.", (
        Param("session", "text", "An id, the start of one, a path or a title.", place=True),
        Param("budget", "number", "Maximum number of tokens.", 0),
    ), Vademecum.sessions.working_set, bundle_text),
)  # fmt: skip
