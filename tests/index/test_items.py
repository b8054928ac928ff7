"""What of a memory, a note and a conversation is searched."""

import re
from datetime import UTC, datetime

from hypothesis import example, given
from hypothesis import strategies as st
from msgspec.structs import replace

from vademecum.domain.item import Edge
from vademecum.domain.memory import Document, Memory
from vademecum.domain.session import Session, Turn
from vademecum.index.items import PIECES_OF_A_TURN, document_item, log_item, memory_item, plain_text, session_item

MONDAY = datetime(2023, 5, 8, 13, 56, tzinfo=UTC)


def memory(**fields):
    values = {
        "id": "01HXYZ", "kind": "decision", "title": "Use SQLite", "body": "Because of FTS5.\n", "space": "personal",
        "path": "projects/x/decision/use-sqlite.md", "etag": "e1", "created": MONDAY, "updated": MONDAY, "tags": ("db",),
    }  # fmt: skip
    return Memory(**values | fields)


def test_short_memory():
    """A short memory is one passage, under its title and tags."""
    item = memory_item(memory(), "10:1")
    assert (item.key, item.source, item.kind, item.stat) == ("memory://01HXYZ", "memory", "decision", "10:1")
    (passage,) = item.passages
    assert passage.text == "Because of FTS5."
    assert "Use SQLite" in passage.heading and "db" in passage.heading


def test_summary():
    """What the summary says beyond title and text is found too, behind the text; what they say is not searched twice."""
    hives = memory(title="Hives", body="Larch, oiled.\n", summary="Watches PR #31 of the joiner")
    assert [one.text for one in memory_item(hives, "1:1").passages] == ["Larch, oiled.", "Watches PR #31 of the joiner"]
    assert len(memory_item(replace(hives, summary="larch,  oiled."), "1:1").passages) == 1


def test_titled_only():
    """A memory of nothing but a title can be found by it."""
    (passage,) = memory_item(memory(body="  \n"), "1:1").passages
    assert passage.text == "Use SQLite"


def test_digest():
    """The digest changes with the file and with its place, and with nothing else."""
    same = memory_item(memory(), "10:1").digest
    assert memory_item(memory(), "99:9").digest == same
    assert memory_item(memory(etag="e2"), "10:1").digest != same
    assert memory_item(memory(path="elsewhere.md"), "10:1").digest != same


def test_edges_carried():
    """Links of a memory and of a note come along."""
    links = (Edge("supersedes", "01OLD"), Edge("links", "Kettle"))
    note = Document("personal", "a/Note.md", "Note", "text", "e", MONDAY, edges=links)
    assert memory_item(memory(edges=links), "1:1").edges == document_item(note, "1:1").edges == links


def test_document_lines():
    """Comments of a note are not searched, and what follows keeps its line."""
    note = Document("personal", "a/Note.md", "Note", "one\n%% hidden\nwords %%\n\n# H\n\ntwo", "e", MONDAY)
    item = document_item(note, "1:1")
    assert item.key == "document://personal/a/Note.md"
    assert [(passage.text, passage.ref) for passage in item.passages] == [("one", "1"), ("two", "7")]


def test_comment_signs_in_code():
    """Signs of a comment in code are text: what lies between two of them is searched."""
    body = "```mermaid\n%% flow\na --> b\n```\n\nThe weir is in `%%HOME%%`.\n\n```python\n%%time\n```\n"
    (passage,) = document_item(Document("personal", "n.md", "n", body, "e", MONDAY), "1:1").passages
    assert passage.text == body.strip()


def test_speech_only():
    """What tools answered, bookkeeping and our own injected text are not speech."""
    turns = tuple(
        Turn(f"r{n}", role, f"{role} text", name="Ann" if role == "user" else "", time=MONDAY)
        for n, role in enumerate(("user", "tool", "note", "injected", "agent"))
    )
    item = session_item(Session("plain", "s1", "/t/s1.jsonl", turns, started=MONDAY, ended=MONDAY), "1:1")
    said = [(passage.turn, passage.speaker, passage.ref, passage.text, passage.time) for passage in item.passages]
    assert said == [(0, "Ann", "r0", "user text", MONDAY), (1, "agent", "r4", "agent text", MONDAY)]
    assert item.key == "session://plain/s1"


def test_long_turn():
    """Pieces of a long turn share its number and reference; a pasted file does not fill the index."""
    turns = (Turn("r0", "user", "a word " * 1000), Turn("r1", "user", "x" * 1_000_000), Turn("r2", "agent", "short"))
    item = session_item(Session("plain", "s1", "/t", turns), "1:1")
    counts = [sum(passage.turn == turn for passage in item.passages) for turn in range(3)]
    assert counts == [8, PIECES_OF_A_TURN, 1]
    assert {passage.ref for passage in item.passages if passage.turn == 0} == {"r0"}


def test_words_below_a_pasted_file():
    """What somebody says below a long pasted text is searchable, as what stands above it."""
    turns = (Turn("r0", "user", f"Look at this.\n\n{'x' * 1_000_000}\n\nIs it the linen?"),)
    said = "".join(passage.text for passage in session_item(Session("plain", "s1", "/t", turns), "1:1").passages)
    assert ("Look at this." in said, "Is it the linen?" in said) == (True, True)


def test_plain_text():
    """Equal texts are equal whatever their markup, case and spacing."""
    assert plain_text("**Use**  SQLite!\n") == plain_text("use sqlite") == plain_text("- Use `SQLite`")


def test_statuses_are_found_and_line_numbers_are_not():
    """Of what a tool answered the lines with a status are searched; a file that was read with line numbers is no list of errors."""
    said = (
        "HTTP/1.1 502\n   404\tdef kettle():\n500: return 1\nGET /tea 418 3ms\nstatus=429\n-> 503\n404 Not Found\nall 512 fine"
    )
    turn = Turn("1", "tool", said)
    shown = log_item(Session("plain", "s", "/s", (turn,)), "1:1").passages[0].text
    assert shown.splitlines() == ["HTTP/1.1 502", "GET /tea 418 3ms", "status=429", "-> 503", "404 Not Found"]


#: The same said line by line, as one regular expression; a letter more where case folds strangely would be no harm.
TELLS_ERROR = re.compile(
    r"error|exception|fail|fatal|denied|refused|not found|cannot|can't|no such|undefined|unexpected|invalid|timed? ?out|panic"
    r"|traceback|abort|segfault|E\d{3,}"
    r"|(?:http\S*|status|code|response|responded|returned|got|[-=]>)\W{0,4}\b[45]\d\d\b"
    r"|\b[45]\d\d (?:bad|unauth|forbid|not |method|request|conflict|gone|unproc|too |payload|internal|service|gateway|error|server|client)"
    r"|\b(?:get|post|put|patch|delete|head) \S{1,200}.{0,40}\b[45]\d\d\b",
    re.IGNORECASE,
)
PIECES_OF_LOGS = st.sampled_from([
    "Error", "FAILED", "e404", "E12", "x4045", "status 404", "404 Not", "got: 500", "GET /a 503", "-> 422", "200", "\n", "\r\n", " ",
    "\x0b", "timed out", "time  out", "Can't", "İ", "ß", "ok", "  line", "\u2028", "4", "no such", "no\nsuch", "code=", "Ä",
])  # fmt: skip


@given(st.lists(PIECES_OF_LOGS, max_size=30))
@example(["İ", "status 404"])
def test_error_lines_by_their_words(pieces):
    """Lines of errors, found by their words, are those that a regular expression finds line by line."""
    answer = "".join(pieces)
    session = Session("codex", "s", "/s.jsonl", (Turn("t0", "tool", answer),))
    found = "".join(passage.text for passage in log_item(session, "1:1").passages)
    expected = dict.fromkeys(line.strip() for line in answer.splitlines() if TELLS_ERROR.search(line))
    assert found == "\n".join(expected)
