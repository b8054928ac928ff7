"""Describe what a conversation was about, with patterns and without a model: requests, results, open points.

It reads speech and tool calls of the main conversation only, and adds nothing that nobody wrote. A failed test counts as
failing until a later test run no longer reports it.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import zip_longest
from pathlib import PurePosixPath

from vademecum.domain.daily import Validation
from vademecum.domain.outline import IN_PROGRESS, UNCOMMITTED, UNOPENED, UNVERIFIED, WAITS, Outline
from vademecum.domain.session import SPOKEN, Candidate, Session, Turn, writes_files
from vademecum.extract.claims import is_proven
from vademecum.extract.commits import TASK_RUNNERS, TEST_RUNNERS, RepositoryEffects, commands_of, repository_effects
from vademecum.extract.mine import met, settle
from vademecum.extract.numbers import (
    ASKED_MAX,
    COMMANDS_MAX,
    COMMITS_MAX,
    DONE_MAX,
    FAILING_MAX,
    FILES_MAX,
    FILES_NAMED,
    FULL_WORDS,
    LAST_MAX_CHARS,
    OPEN_MAX,
    OPEN_REPORTS,
    OUTLINE_LINE_MAX_CHARS,
    OUTLINE_WORDS_MAX_CHARS,
    READ_MAX_CHARS,
    REPORT_SENTENCES,
)
from vademecum.extract.paired_calls import answered_calls
from vademecum.extract.report import (
    asked_in,
    done_in,
    failure_in,
    is_housekeeping,
    is_passing,
    next_in,
    open_in,
    plain,
    report_sign,
    says_done,
    under_way_in,
)
from vademecum.extract.voice import Voice, typed_text, voices
from vademecum.language.sentences import PRIVATE, is_bulk, sentences, without_lead
from vademecum.language.text import brief, is_courtesy, language_of, says_nothing

#: Markers that some programs put around a prompt.
_MARKER = re.compile(r"\[\[ ## \w+ ## \]\]\s*")
#: Tags of a host that stand in place of a prompt: its own commands, and notes about what it did.
_BOOKKEEPING = re.compile(r"\s*<(?:command|local-command|task|system|bash)-[\w-]+>")
#: Terminal output pasted into a prompt: a shell prompt with a command, messages of git and other programs.
_PASTED = re.compile(
    r"^[ \t]*(?:(?:➜|❯|λ)[ \t]|[\w.-]+@[\w.-]+[ :~].*[$#%>][ \t]"
    r"|\[[^\]\n]*[ /~][^\]\n]*\][ \t]+[\w./$~]|(?:hint|error|warning|fatal|remote):[ \t]).*$",
    re.MULTILINE,
)
#: The URL for opening a pull request, which a forge prints after a push.
_NEW_PULL_REQUEST = re.compile(r"/(?:pull/new/|merge_requests/new\?\S*source_branch(?:%5D|\])=)(?P<branch>[\w./%-]*\w)")
_PARAGRAPH = re.compile(r"\n[ \t]*\n")
_TEST_RUN = re.compile(rf"\b(?:{TEST_RUNNERS}|(?:{TASK_RUNNERS})(?: run)? (?:-\S+ )*(?:tests?|check)\b)")
_FAILED = (
    re.compile(r"^(?:FAILED|ERROR)\s+(\S+::\S+|\S+\.(?:py|ts|js|tsx|rb|go|rs)\S*).*$", re.MULTILINE),
    re.compile(r"^\s*--- FAIL: (\S+)", re.MULTILINE),
    re.compile(r"^test (\S+) \.\.\. FAILED$", re.MULTILINE),
)
#: Marks that other programs use too; they mean a failed test only in the output of a test run.
_FAILED_MARK = re.compile(r"^\s*(?:✕|✖|×|●) (?!Some )(.{3,160})$", re.MULTILINE)
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


@cache
def _plan() -> re.Pattern[str]:
    """Match a plan that an agent wrote and that is handed back to be carried out."""
    lead = report_sign("plan").pattern
    return re.compile(rf"(?P<lead>{lead}):?\s*\n+\s*#{{1,2}}[ \t]+(?:plan[ \t]*:[ \t]*)?(?P<title>[^\n]+)", re.IGNORECASE)


def outline(session: Session, heard: Iterable[Candidate] | None = None) -> Outline:
    """Return the outline of a whole session, or of the given part of it.

    Args:
        heard: the matches in it (:func:`vademecum.extract.mine.met`) if known already; finding them takes most of the time.
    """
    main = [turn for turn in session.turns if not turn.sidechain]
    spoken = [turn for turn in main if turn.role in SPOKEN]
    mined = settle(met(session) if heard is None else heard)
    all_voices = voices(main)
    changed, looked_at = _files(main)
    failing, validation = _tested(main)
    reports = _reports(spoken)
    did = repository_effects(main, session.cwd, session.branch)
    pairs = ((turn.role, PRIVATE.sub(" ", plain(turn.text))) for turn in reversed(spoken))
    return Outline(
        session=session.uri,
        title=_title(session.title, spoken, all_voices),
        host=session.host,
        project=session.project,
        folder=session.cwd,
        branch=session.branch,
        started=session.started,
        ended=session.ended,
        turns=len(spoken),
        cursor=main[-1].ref if main else "",
        asked=_asked(spoken, all_voices),
        done=_done(main, reports, did),
        decided=tuple(candidate.text for candidate in mined if candidate.kind == "decision" and candidate.confidence != "low"),
        learned=tuple(
            candidate.text for candidate in mined if candidate.kind in ("lesson", "fix") and candidate.confidence != "low"
        ),
        corrected=last_lines((_line(text) for text in _typed(spoken, all_voices) if report_sign("correction").match(text)), 6),
        open=last_lines((*_open(main, spoken, reports, all_voices), *_left(main, reports, did, all_voices)), OPEN_MAX),
        next=_line(next_in(reports[-1].text)) if reports else "",
        last=next((f"{role}: {brief(text, LAST_MAX_CHARS)}" for role, text in pairs if text.strip()), ""),
        changed=changed,
        looked_at=looked_at,
        commands=last_lines((command for turn in main for command in commands_of(turn)), COMMANDS_MAX),
        commits=did.commits[-COMMITS_MAX:],
        pushed=did.pushed,
        failing=failing,
        validation=validation,
    )


def _typed(spoken: Iterable[Turn], all_voices: Mapping[str, Voice]) -> Iterator[str]:
    """Yield the typed text of each of the person's turns, without pasted material."""
    return (typed_text(turn, all_voices.get(turn.ref)).strip() for turn in spoken if turn.is_persons)


def _asked(spoken: Sequence[Turn], all_voices: Mapping[str, Voice]) -> tuple[str, ...]:
    """Return the person's requests: the first, which is the goal, and the last ones.

    A mere "yes, go on" is left out, and so is a request that a later one repeats at greater length.
    """
    requests = [line for turn in spoken if turn.is_persons for line in _requests(turn, all_voices)]
    informative = [text for text in requests if len(text.split()) >= 3 and not is_courtesy(text)] or list(
        filter(None, requests)
    )
    informative = [
        text
        for number, text in enumerate(informative)
        if not any(later.startswith(text.rstrip("…. ")) for later in informative[number + 1 :])
    ]
    if len(informative) <= ASKED_MAX:
        return tuple(informative)
    return (informative[0], *informative[-(ASKED_MAX - 1) :])


def _requests(turn: Turn, all_voices: Mapping[str, Voice]) -> Iterator[str]:
    """Yield a request and, if it hands over a plan, the plan's first sentence."""
    yield _request(turn, all_voices)
    plan = _plan().match(_without_pasted(turn.text[:READ_MAX_CHARS]).lstrip())
    if plan:
        yield from (
            _line(sentence.text)
            for sentence in list(sentences(plan.string[plan.end() :]))[:1]
            if len(sentence.text.split()) >= FULL_WORDS
        )


def _without_pasted(text: str) -> str:
    """Return the paragraphs without terminal output."""
    return "\n\n".join(part for part in _PARAGRAPH.split(text) if not _PASTED.search(part))


def _title(given: str, spoken: Sequence[Turn], all_voices: Mapping[str, Voice]) -> str:
    """Return the given title, or the first request if the title is a marker, terminal output, a courtesy or housekeeping."""
    plain_title = _without_pasted(_MARKER.sub("", given)).strip()
    informative = "" if is_courtesy(plain_title) else plain_title
    asked = _asked(spoken, all_voices)
    if informative and not is_housekeeping(informative):
        return informative
    return next((entry for entry in asked if not is_housekeeping(entry)), "") or informative or next(iter(asked), "") or given


def _request(turn: Turn, all_voices: Mapping[str, Voice]) -> str:
    """Return the typed part of a prompt as one line. A plan that is handed over is represented by its title."""
    if turn.text.startswith(("/", "[Request interrupted")):
        return ""
    whole = PRIVATE.sub(" ", _MARKER.sub("", turn.text[:READ_MAX_CHARS]))
    text = _without_pasted(whole)
    plan = _plan().match(text.lstrip())
    if plan:
        return _line(f"{plan['lead'].strip()}: {plan['title'].strip()}")
    typed = PRIVATE.sub(" ", _MARKER.sub("", typed_text(turn, all_voices.get(turn.ref))[:READ_MAX_CHARS]))
    said_first = sentences(typed) or sentences(text)
    spoken = " ".join(sentence.text for sentence in said_first)
    return _line(spoken or ("" if _BOOKKEEPING.match(whole) else text.strip() or whole))


def _reports(spoken: Sequence[Turn]) -> list[Turn]:
    """Return the agent's last message before each request, and at the end."""
    return [
        turn
        for turn, following in zip_longest(spoken, spoken[1:])
        if turn.role == "agent" and (following is None or following.role == "user")
    ]


def _done(main: Sequence[Turn], reports: Sequence[Turn], did: RepositoryEffects) -> tuple[str, ...]:
    """Return the first finished work that each report names, and several lines of the last report.

    Unproven lines are marked; findings, opinions and answers do not count.
    """
    texts: list[str] = []
    for number, report in enumerate(reports):
        lines = [line for line in done_in(report.text) if says_done(line)]
        chosen = lines[:REPORT_SENTENCES] if number == len(reports) - 1 else list(filter(None, [_first(lines)]))
        texts += [_line(line if is_proven(line, report, main, did) else f"{UNVERIFIED} {line}") for line in chosen]
    return last_lines(texts, DONE_MAX)


def _first(texts: Sequence[str]) -> str:
    """Return the first text that says more than "All done."; else the first; "" for none."""
    return next((entry for entry in texts if len(entry.split()) >= FULL_WORDS), texts[0] if texts else "")


def _open(
    main: Sequence[Turn], spoken: Sequence[Turn], reports: Sequence[Turn], all_voices: Mapping[str, Voice]
) -> Iterator[str]:
    """Yield the open points of the last reports, and the last request if the session stopped before it was done."""
    yield from (_line(line) for turn in reports[-OPEN_REPORTS:] for line in open_in(turn.text))
    yield from (f"{UNOPENED}`{match['branch']}`" for turn in reports[-1:] for match in _NEW_PULL_REQUEST.finditer(turn.text))
    requests = [turn for turn in spoken if turn.is_persons and _asks_for_work(_request(turn, all_voices))]
    last = next((turn for turn in reversed(spoken) if turn.role == "agent" or turn in requests[-1:]), None)
    if last is None:
        return
    announced = under_way_in(last.text) if last.role == "agent" else ""
    if requests and (last.role == "user" or not _answers(spoken, requests[-1]) or announced):
        words = f' ("{brief(announced or _last_words(last.text), OUTLINE_WORDS_MAX_CHARS)}")' if last.role == "agent" else ""
        yield f"{IN_PROGRESS}{_line(_request(requests[-1], all_voices))}{words}"
    elif last.role == "agent" and (question := asked_in(last.text)):
        yield _line(f"{WAITS}{question}")


def _asks_for_work(request: str) -> bool:
    """Return whether a request is more than a courtesy: "ok", "thanks, bye" and "yes, do that" ask for nothing new."""
    return bool(request) and not says_nothing(request, language_of(request))


def _answers(spoken: Sequence[Turn], request: Turn) -> bool:
    """Return whether an agent answered a request with more than what it is about to do."""
    behind = spoken[spoken.index(request) :]
    return any(
        turn.role == "agent" and any(not is_passing(sentence.said) for sentence in sentences(plain(turn.text)))
        for turn in behind
    )


def _last_words(text: str) -> str:
    all_sentences = sentences(plain(text))
    return all_sentences[-1].text if all_sentences else " ".join(text.split())


def _left(
    main: Sequence[Turn], reports: Sequence[Turn], did: RepositoryEffects, all_voices: Mapping[str, Voice]
) -> Iterator[str]:
    """Yield what the commands left unfinished: a refused commit, and files written but not committed.

    Yields nothing if the agent's last report says that all is committed: then that statement contradicts the commands, and is
    marked.
    """
    if any(report_sign("committed").search(turn.text[:READ_MAX_CHARS]) for turn in reports[-1:]):
        return
    if did.refused:
        why = failure_in(reports[-1].text) if reports else ""
        yield f"commit blocked: {did.refused}" + (f' ("{brief(why, OUTLINE_WORDS_MAX_CHARS)}")' if why else "")
    if did.left:
        at = next((number for number, turn in enumerate(main) if turn.ref == did.left_since), len(main))
        asked = next((line for turn in reversed(main[:at]) if turn.is_persons and (line := _request(turn, all_voices))), "")
        named = ", ".join(f"`{PurePosixPath(path).name}`" for path in did.left[:FILES_NAMED])
        more = f" and {len(did.left) - FILES_NAMED} more" if len(did.left) > FILES_NAMED else ""
        yield f"{UNCOMMITTED}{named}{more}" + (f" (for: {brief(asked, OUTLINE_WORDS_MAX_CHARS)})" if asked else "")


def said(turns: Sequence[Turn], wanted: re.Pattern[str]) -> Iterator[str]:
    """Yield the sentences that match `wanted`, of the agent's messages and the person's typed text, one line each."""
    all_voices = voices(turns)
    for turn in turns:
        if turn.role == "user" or not is_bulk(turn.text):
            text = typed_text(turn, all_voices.get(turn.ref))
            yield from (_line(sentence.text) for sentence in sentences(text) if wanted.search(sentence.said))


def _files(turns: Iterable[Turn]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return (files written, files only read), each in the order of last use."""
    written: dict[str, None] = {}
    read: dict[str, None] = {}
    for turn in turns:
        into = written if any(map(writes_files, turn.tools)) else read
        for path in turn.files:
            into.pop(path, None)
            into[path] = None
    return tuple(written)[-FILES_MAX:], tuple(path for path in read if path not in written)[-FILES_MAX:]


def _tested(turns: Sequence[Turn]) -> tuple[tuple[str, ...], Validation]:
    """Return the failures of the last test run and its result.

    Without a run, the failure is the last error if the conversation ends with one.
    """
    failing: dict[str, None] = {}
    verdict: Validation = ""
    asked = {answer.ref: call for call, answer in answered_calls(turns) if answer is not None}
    for turn in turns:
        if turn.role == "agent" and report_sign("green").search(turn.text[:READ_MAX_CHARS]):
            failing, verdict = {}, "passed"
        elif turn.role == "tool" and any(_TEST_RUN.search(command) for command in commands_of(turn)):
            failing, verdict = {}, "run, result unknown"
        elif turn.role == "tool" and not turn.tools:
            commands = tuple(commands_of(asked[turn.ref])) if turn.ref in asked else ()
            of_run = not commands or any(map(_TEST_RUN.search, commands))
            patterns = (*_FAILED, _FAILED_MARK) if of_run and verdict == "run, result unknown" else _FAILED
            failing.update(dict.fromkeys(_line(name) for pattern in patterns for name in pattern.findall(turn.text)))
            verdict = _verdict(turn.text, verdict) if of_run else verdict
    if failing and verdict:
        verdict = "failed"
    if not failing and not verdict:
        failing = dict.fromkeys(_line(last_error) for last_error in _last_errors(turns))
    return tuple(failing)[-FAILING_MAX:], verdict


def _verdict(answer: str, before: Validation) -> Validation:
    """Return the result of a test run after a tool's output; the first output that states a result counts."""
    if before != "run, result unknown":
        return before
    if _TESTS_FAILED.search(answer):
        return "failed"
    return "passed" if _TESTS_PASSED.search(answer) else before


def _last_errors(turns: Sequence[Turn]) -> list[str]:
    """Return the errors in the last tool output if the conversation ends there: otherwise the agent's report covers them."""
    last = next((turn for turn in reversed(turns) if turn.role not in ("note", "injected")), None)
    return _ERROR.findall(last.text) if last is not None and last.role == "tool" and not last.tools else []


def last_lines(lines: Iterable[str], most: int) -> tuple[str, ...]:
    """Return the last `most` different lines, each at its last position."""
    kept: dict[str, None] = {}
    for line in lines:
        kept.pop(line, None)
        kept[line] = None
    return tuple(kept)[-most:]


def _line(text: str) -> str:
    """Return a text on one line, cut between words to the maximum length."""
    flat = without_lead(text) or " ".join(text.split())
    if len(flat) <= OUTLINE_LINE_MAX_CHARS:
        return flat
    return (flat[: OUTLINE_LINE_MAX_CHARS - 1].rpartition(" ")[0] or flat[: OUTLINE_LINE_MAX_CHARS - 1]).rstrip(" ,;:.—-") + "…"
