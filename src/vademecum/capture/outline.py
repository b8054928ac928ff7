"""What a conversation was about, by patterns and without a model: who asked what, what was done, what is open.

It reads the main conversation only, and of that what was said and which tools were called; it claims nothing that nobody wrote.
A test that failed counts as failing until a later run of tests says nothing of it.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest

from vademecum.capture.mine import met, settle
from vademecum.capture.report import READ_MAX_CHARS, asked_in, done_in, is_passing, next_in, open_in, plain
from vademecum.capture.speech import is_bulk, sentences, without_lead
from vademecum.model.daily import Validation
from vademecum.model.outline import Outline
from vademecum.model.session import SPOKEN, Candidate, Session, Turn, writes_files

#: Longest line of an outline, and most lines of each sort: the last ones are kept.
LINE_MAX_CHARS = 240
#: What earlier reports left open was seen to since, or is said again.
OPEN_REPORTS = 2
#: So many words tell what was done.
FULL_WORDS = 5
ASKED_MAX, DONE_MAX, OPEN_MAX, FILES_MAX, COMMANDS_MAX, FAILING_MAX = 12, 8, 8, 30, 20, 12
#: Sentences of an agent's last report that are kept.
REPORT_SENTENCES = 4

_SHELLS = re.compile(
    r"^(?:bash|shell|exec|exec_command|run_shell_command|run_terminal_cmd|terminal|local_shell)\b", re.IGNORECASE
)
#: What some programs put around a prompt.
_MARKER = re.compile(r"\[\[ ## \w+ ## \]\]\s*")
#: What a host puts between tags in the person's place: commands of its own, and notes about what it did.
_BOOKKEEPING = re.compile(r"\s*<(?:command|local-command|task|system|bash)-[\w-]+>")
#: What a terminal showed, pasted into a prompt: its own prompt with a command, and what git and others answer.
_PASTED = re.compile(
    r"^[ \t]*(?:(?:➜|❯|λ)[ \t]|[\w.-]+@[\w.-]+[ :~].*[$#%>][ \t]"
    r"|\[[^\]\n]*[ /~][^\]\n]*\][ \t]+[\w./$~]|(?:hint|error|warning|fatal|remote):[ \t]).*$",
    re.MULTILINE,
)
_PARAGRAPH = re.compile(r"\n[ \t]*\n")
_PRIVATE = re.compile(r"<private>.*?(?:</private>|\Z)", re.DOTALL | re.IGNORECASE)
#: A plan that an agent wrote and is now given back to carry out.
_PLAN = re.compile(
    r"(?P<lead>(?:implement|execute|carry out|follow|apply) (?:the |this )?(?:following )?plan):?\s*\n+\s*"
    r"#{1,2}[ \t]+(?:plan[ \t]*:[ \t]*)?(?P<title>[^\n]+)",
    re.IGNORECASE,
)
_CORRECTION = re.compile(
    r"^(?:no+\b(?!\s+(?:problem|worries|need))|that'?s (?:wrong|not)|not (?:that|what)|wrong\b|don'?t\b|stop\b"
    r"|undo\b|revert\b|i (?:said|meant|asked)"
    r"|nein\b|falsch\b|não\b|errado\b|eso no\b)",
    re.IGNORECASE,
)
_TEST_RUN = re.compile(
    r"\b(?:pytest|unittest|tox|nox|jest|vitest|mocha|rspec|phpunit"
    r"|(?:npm|yarn|pnpm|bun|deno|go|cargo|gradlew?|mvn|make|mise|just|task|dotnet|swift|mix|rake|composer)(?: run)?"
    r" (?:-\S+ )*(?:tests?|check)\b)"
)
_FAILED = (
    re.compile(r"^(?:FAILED|ERROR)\s+(\S+::\S+|\S+\.(?:py|ts|js|tsx|rb|go|rs)\S*).*$", re.MULTILINE),
    re.compile(r"^\s*--- FAIL: (\S+)", re.MULTILINE),
    re.compile(r"^test (\S+) \.\.\. FAILED$", re.MULTILINE),
)
#: Marks that other programs use too; what they stand before is a test only in the answer to a run of tests.
_FAILED_MARK = re.compile(r"^\s*(?:✕|✖|×|●) (?!Some )(.{3,160})$", re.MULTILINE)
_GREEN = re.compile(
    r"\ball (?:\d+ |the |of the )?(?:new )?tests? (?:now )?pass"
    r"|\btests? (?:all |now )?pass(?:ed|es)?\b|\b(?:checks|tests) are green\b"
    r"|\bpassed before the commit\b|\btests?\b.{0,40}\bgreen\b",
    re.IGNORECASE,
)
_TESTS_FAILED = re.compile(
    r"\b[1-9]\d* (?:tests? )?(?:failed|failing|failures?|errors?)\b|^FAIL(?:ED)?\b|test result: FAILED", re.MULTILINE
)
_TESTS_PASSED = re.compile(
    r"\b[1-9]\d* (?:tests? )?pass(?:ed|ing)\b|^(?:ok|PASS)\b|^OK(?: \(|$)|test result: ok|all tests pass(?:ed)?",
    re.MULTILINE | re.IGNORECASE,
)
_ERROR = re.compile(
    r"^[ \t]*((?:[A-Za-z_][\w.]*(?:Error|Exception))(?::[^\n]{1,200})|(?:error|fatal)(?:\[\w+\])?: [^\n]{3,200}|npm ERR! [^\n]{3,200})$",
    re.MULTILINE,
)
_COMMIT = re.compile(r"""\bgit commit\b[^\n]*?-a?m\s+(?:"\$\(cat <<'?EOF'?\n)?["']?([^"'\n]+)""")


def outline(session: Session, heard: Iterable[Candidate] | None = None) -> Outline:
    """The outline of a whole session, or of the turns that are given of it.

    Args:
        heard: what is met in it (:func:`vademecum.capture.mine.met`), when that is known already: it takes most of the time.
    """
    main = [turn for turn in session.turns if not turn.sidechain]
    spoken = [turn for turn in main if turn.role in SPOKEN]
    mined = settle(met(session) if heard is None else heard)
    changed, looked_at = _files(main)
    failing, validation = _tested(main)
    reports = _reports(spoken)
    return Outline(
        session=session.uri,
        title=_title(session.title, spoken),
        host=session.host,
        project=session.project,
        branch=session.branch,
        started=session.started,
        ended=session.ended,
        turns=len(spoken),
        cursor=main[-1].ref if main else "",
        asked=_asked(spoken),
        done=_done(reports),
        decided=tuple(one.text for one in mined if one.kind == "decision" and one.confidence != "low"),
        learned=tuple(one.text for one in mined if one.kind in ("lesson", "fix") and one.confidence != "low"),
        corrected=last_lines(
            (_line(turn.text) for turn in spoken if turn.role == "user" and _CORRECTION.match(turn.text.strip())), 6
        ),
        open=_open(spoken, reports),
        next=_line(next_in(reports[-1].text)) if reports else "",
        last=_last_said(spoken),
        changed=changed,
        looked_at=looked_at,
        commands=last_lines((command for turn in main for command in _commands(turn)), COMMANDS_MAX),
        commits=last_lines((_line(found) for turn in main for found in _COMMIT.findall(turn.text) if turn.role == "tool"), 12),
        failing=failing,
        validation=validation,
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


def _without_pasted(text: str) -> str:
    """The paragraphs that hold nothing a terminal showed."""
    return "\n\n".join(part for part in _PARAGRAPH.split(text) if not _PASTED.search(part))


def _title(given: str, spoken: Sequence[Turn]) -> str:
    """The title as given, unless it is a mark or what a terminal showed: then what was asked first."""
    plain_title = _without_pasted(_MARKER.sub("", given)).strip()
    return plain_title or next(iter(_asked(spoken)), "") or given


def _request(turn: Turn) -> str:
    """A prompt as one line: what was said in it, not what was pasted. A plan that is handed over goes by its title."""
    if turn.text.startswith(("/", "[Request interrupted")):
        return ""
    whole = _PRIVATE.sub(" ", _MARKER.sub("", turn.text[:READ_MAX_CHARS]))
    text = _without_pasted(whole)
    plan = _PLAN.match(text.lstrip())
    if plan:
        return _line(f"{plan['lead'].strip()}: {plan['title'].strip()}")
    spoken = " ".join(sentence.text for sentence in sentences(text))
    return _line(spoken or ("" if _BOOKKEEPING.match(whole) else text.strip() or whole))


def _last_said(spoken: Sequence[Turn]) -> str:
    told = (
        f"{turn.role}: {_line(_PRIVATE.sub(' ', plain(turn.text)))}" for turn in reversed(spoken) if plain(turn.text).strip()
    )
    return next(told, "")


def _reports(spoken: Sequence[Turn]) -> list[Turn]:
    """The last thing that the agent said before each request, and at the end."""
    return [
        turn
        for turn, following in zip_longest(spoken, spoken[1:])
        if turn.role == "agent" and (following is None or following.role == "user")
    ]


def _done(reports: Sequence[Turn]) -> tuple[str, ...]:
    """The first thing that each report tells; of the very last report several."""
    if not reports:
        return ()
    earlier = [_first(list(done_in(turn.text))) for turn in reports[:-1]]
    last = list(done_in(reports[-1].text))[:REPORT_SENTENCES] or [plain(reports[-1].text)]
    return last_lines(map(_line, filter(None, [*earlier, *last])), DONE_MAX)


def _first(told: Sequence[str]) -> str:
    """The first that tells more than "All done." """
    return next((one for one in told if len(one.split()) >= FULL_WORDS), told[0] if told else "")


def _open(spoken: Sequence[Turn], reports: Sequence[Turn]) -> tuple[str, ...]:
    """What the last reports leave open, and the last request when nothing was said to it any more."""
    left = [_line(line) for turn in reports[-OPEN_REPORTS:] for line in open_in(turn.text)]
    requests = [number for number, turn in enumerate(spoken) if turn.role == "user" and _request(turn)]
    if requests and not any(_answers(turn) for turn in spoken[requests[-1] :]):
        left.append(_line(f"asked last, and not reported on: {_request(spoken[requests[-1]])}"))
    elif spoken and spoken[-1].role == "agent" and (question := asked_in(spoken[-1].text)):
        left.append(_line(f"waits for an answer: {question}"))
    return last_lines(left, OPEN_MAX)


def _answers(turn: Turn) -> bool:
    """Whether an agent says more than what it is about to do."""
    return turn.role == "agent" and any(not is_passing(sentence.said) for sentence in sentences(plain(turn.text)))


def said(turns: Iterable[Turn], wanted: re.Pattern[str]) -> Iterator[str]:
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


def _tested(turns: Sequence[Turn]) -> tuple[tuple[str, ...], Validation]:
    """What the last run of tests said to fail, and how it went; without one the last error, when a tool ended with one."""
    failing: dict[str, None] = {}
    verdict: Validation = ""
    for turn in turns:
        if turn.role == "agent" and _GREEN.search(turn.text[:READ_MAX_CHARS]):
            failing, verdict = {}, "passed"
        elif turn.role == "tool" and any(_TEST_RUN.search(command) for command in _commands(turn)):
            failing, verdict = {}, "run, result unknown"
        elif turn.role == "tool" and not turn.tools:
            patterns = (*_FAILED, _FAILED_MARK) if verdict == "run, result unknown" else _FAILED
            failing.update(dict.fromkeys(_line(name) for pattern in patterns for name in pattern.findall(turn.text)))
            verdict = _verdict(turn.text, verdict)
    if failing and verdict:
        verdict = "failed"
    if not failing and not verdict:
        failing = dict.fromkeys(_line(found) for found in _last_errors(turns))
    return tuple(failing)[-FAILING_MAX:], verdict


def _verdict(answer: str, before: Validation) -> Validation:
    """What an answer of a tool says of the run before it; the first answer that says anything decides."""
    if before != "run, result unknown":
        return before
    if _TESTS_FAILED.search(answer):
        return "failed"
    return "passed" if _TESTS_PASSED.search(answer) else before


def _last_errors(turns: Sequence[Turn]) -> list[str]:
    """Errors in the last answer of a tool, when the conversation broke off there: what an agent reports on is in its report."""
    last = next((turn for turn in reversed(turns) if turn.role not in ("note", "injected")), None)
    return _ERROR.findall(last.text) if last is not None and last.role == "tool" and not last.tools else []


def last_lines(lines: Iterable[str], most: int) -> tuple[str, ...]:
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
