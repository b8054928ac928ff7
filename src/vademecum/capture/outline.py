"""What a conversation was about, by patterns and without a model: who asked what, what was done, what is open.

It reads the main conversation only, and of that what was said and which tools were called; it claims nothing that nobody wrote.
A test that failed counts as failing until a later run of tests says nothing of it.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest

from vademecum.capture.mine import mine
from vademecum.capture.speech import is_bulk, sentences, without_lead
from vademecum.model.outline import Outline
from vademecum.model.session import SPOKEN, Session, Turn, writes_files

#: Longest line of an outline, and most lines of each sort: the last ones are kept.
LINE_MAX_CHARS = 240
ASKED_MAX, DONE_MAX, OPEN_MAX, FILES_MAX, COMMANDS_MAX, FAILING_MAX = 12, 8, 8, 30, 20, 12
#: Sentences of an agent's last report that are kept.
REPORT_SENTENCES = 4

_SHELLS = re.compile(
    r"^(?:bash|shell|exec|exec_command|run_shell_command|run_terminal_cmd|terminal|local_shell)\b", re.IGNORECASE
)
_OPEN = re.compile(
    r"\b(?:todo|still (?:need|have|to|missing|fail\w*|open)|not (?:yet|done|implemented|finished)|remain(?:s|ing)\b|left to do"
    r"|needs? to be|unfinished|blocked (?:by|on)|waiting (?:for|on)|pending"
    r"|noch (?:nicht|zu|offen)|fehlt noch|steht noch aus|ainda (?:falta|não)|falta (?:ainda|fazer)|todavía (?:falta|no)|queda por"
    r"|未完成|还需要|待办)\b",
    re.IGNORECASE,
)
_NEXT = re.compile(
    r"^(?:the )?next(?: step| steps| up)?\b|\bnext,? (?:we|i|you|step)\b|^(?:then|after that) (?:we|i|you)\b|\bi(?:'| wi)ll .{0,40}\bnext\b"
    r"|^(?:als nächstes|nächster schritt|próximo passo|a seguir|siguiente paso|下一步)",
    re.IGNORECASE,
)
_NEXT_LABEL = re.compile(r"^(?:the )?next(?: steps?)?(?: is)?\s*[:—-]\s*", re.IGNORECASE)
_CORRECTION = re.compile(
    r"^(?:no+\b(?!\s+(?:problem|worries|need))|that'?s (?:wrong|not)|not (?:that|what)|wrong\b|don'?t\b|stop\b"
    r"|undo\b|revert\b|i (?:said|meant|asked)"
    r"|nein\b|falsch\b|não\b|errado\b|eso no\b)",
    re.IGNORECASE,
)
_TEST_RUN = re.compile(
    r"\b(?:pytest|unittest|tox|nox|jest|vitest|mocha|rspec|phpunit|npm (?:run )?test|(?:yarn|pnpm|go|cargo|gradle|mvn|make) test"
    r"|make check)\b"
)
_FAILED = (
    re.compile(r"^(?:FAILED|ERROR)\s+(\S+::\S+|\S+\.(?:py|ts|js|tsx|rb|go|rs)\S*).*$", re.MULTILINE),
    re.compile(r"^\s*--- FAIL: (\S+)", re.MULTILINE),
    re.compile(r"^test (\S+) \.\.\. FAILED$", re.MULTILINE),
    re.compile(r"^\s*(?:✕|✖|×|●) (.{3,160})$", re.MULTILINE),
)
_ERROR = re.compile(
    r"^[ \t]*((?:[A-Za-z_][\w.]*(?:Error|Exception))(?::[^\n]{1,200})|(?:error|fatal)(?:\[\w+\])?: [^\n]{3,200}|npm ERR! [^\n]{3,200})$",
    re.MULTILINE,
)
_COMMIT = re.compile(r"""\bgit commit\b[^\n]*?-a?m\s+(?:"\$\(cat <<'?EOF'?\n)?["']?([^"'\n]+)""")


def outline(session: Session) -> Outline:
    """The outline of a whole session, or of the turns that are given of it."""
    main = [turn for turn in session.turns if not turn.sidechain]
    spoken = [turn for turn in main if turn.role in SPOKEN]
    mined = mine(session)
    changed, looked_at = _files(main)
    opened = _last(_said(spoken, _OPEN), OPEN_MAX)
    following = _last(_said([turn for turn in spoken if turn.role == "agent"], _NEXT), 1)
    return Outline(
        session=session.uri,
        title=session.title,
        host=session.host,
        project=session.project,
        branch=session.branch,
        started=session.started,
        ended=session.ended,
        turns=len(spoken),
        cursor=main[-1].ref if main else "",
        asked=_asked(spoken),
        done=_done(spoken),
        decided=tuple(one.text for one in mined if one.kind == "decision" and one.confidence != "low"),
        learned=tuple(one.text for one in mined if one.kind in ("lesson", "fix") and one.confidence != "low"),
        corrected=_last(
            (_line(turn.text) for turn in spoken if turn.role == "user" and _CORRECTION.match(turn.text.strip())), 6
        ),
        open=opened,
        next=_NEXT_LABEL.sub("", following[0]) if following else "",
        changed=changed,
        looked_at=looked_at,
        commands=_last((command for turn in main for command in _commands(turn)), COMMANDS_MAX),
        commits=_last((_line(found) for turn in main for found in _COMMIT.findall(turn.text) if turn.role == "tool"), 12),
        failing=_failing(main),
        last=_line(spoken[-1].text) if spoken else "",
    )


def _asked(spoken: Sequence[Turn]) -> tuple[str, ...]:
    """The person's requests: the first, which is the goal, and the last ones. A mere "yes, go on" is none."""
    requests = [_request(turn) for turn in spoken if turn.role == "user"]
    telling = list(dict.fromkeys(text for text in requests if len(text.split()) >= 3)) or list(
        dict.fromkeys(filter(None, requests))
    )
    if len(telling) <= ASKED_MAX:
        return tuple(telling)
    return (telling[0], *telling[-(ASKED_MAX - 1) :])


def _request(turn: Turn) -> str:
    """A prompt as one line: what was said in it, not what was pasted."""
    if turn.text.startswith("/"):
        return ""
    said = " ".join(sentence.text for sentence in sentences(turn.text[:20_000]))
    return _line(said or turn.text)


def _done(spoken: Sequence[Turn]) -> tuple[str, ...]:
    """The last thing that the agent said before each request was answered, first sentence; of the very last report several."""
    reports = [
        turn
        for turn, following in zip_longest(spoken, spoken[1:])
        if turn.role == "agent" and (following is None or following.role == "user")
    ]
    if not reports:
        return ()
    earlier = [next(iter(_plain(turn)), "") for turn in reports[:-1]]
    last = list(_plain(reports[-1]))[:REPORT_SENTENCES]
    return _last(filter(None, [*earlier, *last]), DONE_MAX)


def _plain(turn: Turn) -> Iterator[str]:
    for sentence in sentences(turn.text[:20_000]):
        if len(sentence.said.split()) >= 3 and not _CHATTER.match(sentence.said) and not _NEXT.search(sentence.said):
            yield _line(sentence.text)


_CHATTER = re.compile(
    r"^(?:let me know|is there anything|would you like|do you want|shall i|happy to|hope this|feel free)\b", re.I
)


def _said(turns: Iterable[Turn], wanted: re.Pattern[str]) -> Iterator[str]:
    for turn in turns:
        if not is_bulk(turn.text):
            yield from (_line(sentence.text) for sentence in sentences(turn.text) if wanted.search(sentence.said))


def _files(turns: Iterable[Turn]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """(files written, files only read), each in the order in which it was last touched."""
    written: dict[str, None] = {}
    read: dict[str, None] = {}
    for turn in turns:
        into = written if any(map(writes_files, turn.tools)) else read
        for path in turn.files:
            into.pop(path, None)
            into[path] = None
    return tuple(written)[-FILES_MAX:], tuple(path for path in read if path not in written)[-FILES_MAX:]


def _commands(turn: Turn) -> Iterator[str]:
    """Command lines that a shell was given, as they were."""
    for name in turn.tools:
        if _SHELLS.match(name) and turn.text.startswith(f"{name}: "):
            yield turn.text.removeprefix(f"{name}: ").strip()


def _failing(turns: Sequence[Turn]) -> tuple[str, ...]:
    """What the last run of tests said to fail; the last error, when a tool ended with one."""
    failing: dict[str, None] = {}
    ran = False
    for turn in turns:
        if turn.role != "tool":
            continue
        if any(_TEST_RUN.search(command) for command in _commands(turn)):
            failing, ran = {}, True
        elif not turn.tools:
            failing.update(dict.fromkeys(_line(name) for pattern in _FAILED for name in pattern.findall(turn.text)))
    if not failing and not ran:
        failing = dict.fromkeys(_line(found) for found in _last_errors(turns))
    return tuple(failing)[-FAILING_MAX:]


def _last_errors(turns: Sequence[Turn]) -> list[str]:
    """Errors in the last answer of a tool; none when the conversation went on to one that had none."""
    answers = [turn for turn in turns if turn.role == "tool" and not turn.tools]
    return _ERROR.findall(answers[-1].text) if answers else []


def _last(lines: Iterable[str], most: int) -> tuple[str, ...]:
    """The last ones, each once, at the place where it was said last."""
    kept: dict[str, None] = {}
    for line in lines:
        kept.pop(line, None)
        kept[line] = None
    return tuple(kept)[-most:]


def _line(text: str) -> str:
    """On one line, cut between words."""
    flat = without_lead(text) or " ".join(text.split())
    if len(flat) <= LINE_MAX_CHARS:
        return flat
    return (flat[: LINE_MAX_CHARS - 1].rpartition(" ")[0] or flat[: LINE_MAX_CHARS - 1]).rstrip(" ,;:—-") + "…"
