"""A note is read as a person meant it, however it was written."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vademecum.domain.errors import InvalidInput
from vademecum.domain.item import Edge
from vademecum.domain.memory import Space
from vademecum.vault.markup import inline_tags, links, without_code
from vademecum.vault.note import read_document, read_memory

SPACE = Space("personal", "/home")
THEN = datetime(2026, 2, 3, 4, 5, 6, tzinfo=UTC)
ID = "01KJMMDQP00000000000000001"


def _read(text, path="personal/fact/x.md", space=SPACE):
    return read_memory(text.encode(), space, path, THEN)


def test_all_properties():
    """Every property of the format is read with its type."""
    memory = _read(
        f"---\nid: {ID}\nkind: decision\ntitle: T\nstatus: resolved\nsummary: S\ntags: [a-b, '#c/d']\ntopics: x\n"
        "aliases:\n  - KD01\nconfidence: high\nimportance: 0.25\ncreated: 2026-01-01\nupdated: 2026-01-02T03:04:05+01:00\n"
        "valid_from: 2026-01-01\nvalid_until: 2027-01-01 10:00\nlast_confirmed: 2026-01-05T00:00:00Z\nconfirmations: 3\n"
        'supersedes: ["[[Old one|old]]", 01ARZ3NDEKTSV4RRFFQ69G5FAV]\nsource: session://codex/1\nsource_span: 1-2\nagent: rob\n'
        "project: tea\nvisibility: internal\ntrust: agent\nalways_load: true\npriority: -2\npin: yes\nmood: 3\n---\nBody"
    ).memory
    assert (memory.id, memory.kind, memory.title, memory.status, memory.summary) == (ID, "decision", "T", "resolved", "S")
    assert (memory.tags, memory.topics, memory.aliases) == (("a-b", "c/d"), ("x",), ("KD01",))
    assert (memory.confidence, memory.importance, memory.confirmations, memory.priority) == ("high", 0.25, 3, -2)
    assert memory.created == datetime(2026, 1, 1, tzinfo=UTC)
    assert memory.updated == datetime(2026, 1, 2, 2, 4, 5, tzinfo=UTC)
    assert memory.valid_until == datetime(2027, 1, 1, 10, tzinfo=UTC)
    assert memory.supersedes == ("Old one", "01ARZ3NDEKTSV4RRFFQ69G5FAV")
    assert (memory.agent, memory.project, memory.visibility, memory.trust) == ("rob", "tea", "internal", "agent")
    assert (memory.always_load, memory.pin, memory.extra, memory.body) == (True, True, {"mood": 3}, "Body")


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("---\ntitle: 2026\n---\n# Other", "2026"),
        ("\n# Heading with `code` #\n\ntext", "Heading with `code`"),
        ("text\n# Later heading", "tea-kettle"),
        ("\nHarbour dues\r\n============\r\n\r\ntext", "Harbour dues"),
        ("text\n\n===\n", "tea-kettle"),
        ("# Bilge pump\r\rThe switch sticks.\r", "Bilge pump"),
        ("```\n# not this\n```", "tea-kettle"),
        ("%% draft %%\n![](pot.png)\n#tea #hot\n# Pots", "Pots"),
        ("", "tea-kettle"),
    ],
)
def test_titles(text, title):
    """The title is the property, else the heading the note starts with, else the file's name."""
    assert _read(text, "a/tea-kettle.md").memory.title == title


def test_what_is_missing():
    """A note without anything gets kind and status from its folder, and dates and id that stay the same."""
    first, second = _read("Text", "projects/tea/lesson/x.md"), _read("Text", "projects/tea/lesson/x.md")
    memory = first.memory
    assert first == second
    assert (memory.kind, memory.status, memory.project, memory.created, memory.updated) == (
        "lesson",
        "active",
        "tea",
        THEN.replace(),
        THEN,
    )
    assert set(first.repairs) == {"id", "kind", "created"}
    assert _read("Text", "_inbox/x.md").memory.status == "inbox"
    assert _read("Text", "_inbox/y.md").memory.id != _read("Text", "_inbox/x.md").memory.id


def test_nonsense_is_named():
    """A value that cannot be understood is named, the default taken, and the note still read."""
    reading = _read(
        f"---\nid: {ID}\nkind: fact\nstatus: done\nimportance: lots\ncreated: soon\npriority: high\nconfidence: [a]\n---\n"
    )
    assert (reading.memory.status, reading.memory.importance, reading.memory.priority) == ("active", 0.5, 0)
    assert [complaint.split(" is ")[0] for complaint in reading.complaints] == ["created", "status", "importance", "priority"]


def test_unknown_kinds_stay():
    """A kind that nobody knows is kept as the facet."""
    memory = _read("---\nkind: sonnet\n---\n", "personal/lesson/x.md").memory
    assert (memory.kind, memory.facet) == ("lesson", "sonnet")


def test_not_text():
    """A file that is not UTF-8 is refused as a memory; damaged bytes in one that is become marks in a document."""
    with pytest.raises(InvalidInput):
        read_memory(b"\xff\xfea", SPACE, "x.md", THEN)
    assert read_document(b"\xc3\xa4\xff", "personal", "Deep/My note.md", THEN).body == "ä�"
    assert read_document("a�".encode(), "personal", "n.md", THEN).body == "a�"


def test_encodings_of_documents():
    """A note is read by its byte order mark, which is no part of the text, or as Windows-1252 where it is not UTF-8."""
    for encoding in ("utf-8-sig", "utf-16", "utf-32", "latin-1"):
        document = read_document("---\ntags: [käse]\n---\nDie Mühle.\n".encode(encoding), "personal", "n.md", THEN)
        assert (document.body, document.tags) == ("Die Mühle.\n", ("käse",))


def test_documents():
    """The person's own note is read with its properties, tags, aliases and links."""
    text = '---\naliases: [Tea]\ntags: drink, hot\nup: "[[Kitchen]]"\nrating: 4\n---\n# My tea\n#green see [[Kettle#Care]]\n'
    document = read_document(text.encode(), "personal", "Deep/Note.md", THEN)
    assert (document.title, document.aliases, document.tags) == ("My tea", ("Tea",), ("drink", "hot", "green"))
    assert document.properties == {"aliases": ["Tea"], "tags": "drink, hot", "up": "[[Kitchen]]", "rating": 4}
    assert document.edges == (Edge("up", "Kitchen"), Edge("links", "Kettle"))


@pytest.mark.parametrize(
    ("text", "title", "aliases", "tags"),
    [
        ('---\nalias: Tea, Chai\naliases: ["Pot, brown"]\n---\n', "n", ("Pot, brown", "Tea", "Chai"), ()),
        ("title:: Tea\ntags:: hot, [[drink]]\nalias:: Chai\n\n- Leaves.", "Tea", ("Chai",), ("hot", "drink")),
        ("# Tea\n\nTags: hot, drink\nTitle: no\nCreated: March 4, 2026\n\nAliases: no", "Tea", (), ("hot", "drink")),
        ("---\ntitle: <% tp.file.title %>\n---\n## Steps\nBoil.", "n", (), ()),
        ("---\ntitle: Tea: green\ntags: [hot, #drink]\naliases:\n\t- Chai\n---\n", "Tea: green", ("Chai",), ("hot", "drink")),
    ],
)
def test_documents_of_other_programs(text, title, aliases, tags):
    """Names and tags are read as their program writes them: in a line, below the heading, or in properties that are no YAML."""
    document = read_document(text.encode(), "personal", "n.md", THEN)
    assert (document.title, document.aliases, document.tags) == (title, aliases, tags)


def test_inline_tags():
    """X-05, X-20: tags in the text count whole, with hyphens and levels; code, links and numbers do not."""
    body = "#tea-time and #home/kitchen, (#no) a#no #12 #v2. #日本\n# Heading\n`#no`\n```\n#no\n```\nhttp://x/#no [[A#no]]\n"
    assert inline_tags(body) == ("tea-time", "home/kitchen", "v2", "日本")


@pytest.mark.parametrize(
    "code",
    [
        "```\n[[no]]\n```", "~~~~ python\n[[no]]\n~~~\n[[no]]\n~~~~", "`[[no]]`", "``a ` [[no]]``", "    [[no]]", "```\n[[no]]",
        "> ```\n> [[no]]\n> ```", "- ```\n  [[no]]\n  ```", "<!-- [[no]] -->", "%% [[no]] %%", "\t[[no]]", "`a\n[[no]]`",
        "$$\n[[no]] #x\n$$",
    ],
)  # fmt: skip
def test_code_says_nothing(code):
    """X-20: links in code, fenced, indented or inline, and in comments are not links."""
    assert links(f"[[Before]]\n\n{code}\n") == (Edge("links", "Before"),)


@pytest.mark.parametrize(
    ("body", "edges"),
    [
        ("[[A]] ![[B#h|c]] [[ C ]] [[#own]] [[]]", [("links", "A"), ("links", "B"), ("links", "C")]),
        ("caused_by:: [[A]], [[B]]", [("caused_by", "A"), ("caused_by", "B")]),
        ("text [depends on:: [[A]]] more [[B]]", [("depends_on", "A"), ("depends_on", "B")]),
        ("- derived_from [[A]]\n- see [[B]]", [("derived_from", "A"), ("links", "B")]),
        ("[t](My%20note.md#x) [u](https://e.org/a.md) [v](<b c.md>)", [("links", "My note"), ("links", "b c")]),
        ("[t](Old%20bridge%20(stone).md) ([u](a(b)c.md#x))", [("links", "Old bridge (stone)"), ("links", "a(b)c")]),
        (f"see memory://{ID}.", [("links", f"memory://{ID}")]),
        ("- item\n\n    continued [[A]]", [("links", "A")]),
        ("`unmatched [[A]]", [("links", "A")]),
    ],
)  # fmt: skip
def test_links(body, edges):
    """HW-15: wikilinks, embeds, Markdown links and URIs are links; inline fields and relations give them a type."""
    assert [(edge.type, edge.target) for edge in links(body)] == edges


@given(st.text(alphabet="`~ \n>-a#[]|%<!\r\t", max_size=200))
def test_code_keeps_places(body):
    """Blanking code moves nothing: every other character stays where it was."""
    blanked = without_code(body)
    assert len(blanked) == len(body)
    assert all(new in (old, " ") for new, old in zip(blanked, body, strict=True))


def test_many_backticks_are_quick():
    """A hundred thousand unmatched backtick runs are read in one pass."""
    body = " ".join("`" * (1 + number % 300) for number in range(20_000))
    assert len(without_code(body)) == len(body)
