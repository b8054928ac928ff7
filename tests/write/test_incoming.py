"""What an agent read from memory and writes back, or a person pastes, comes in as the text that it is."""

import pytest

from vademecum.domain.errors import InvalidInput
from vademecum.domain.memory import By, Draft
from vademecum.domain.saved import SaveOptions
from vademecum.entrypoints.mcp import data
from vademecum.entrypoints.mcp.data import quoted
from vademecum.entrypoints.text import memory_text as shown
from vademecum.write.incoming import incoming, taken_apart, title_that_follows, without_envelope

AGENT = By("agent", "mcp")
BODY = "The tram leaves at nine (platform two).\n\n- In winter at ten (since 2020, by decree)."


def read_whole(memory, now):
    """What `read_memory` gives an agent."""
    return data.memory_text(data.memory(memory, now))


@pytest.fixture
def tram(memory):
    """A decision about a tram that an agent saved, which it may change."""
    return memory.notes.save("decision", "Tram timetable", BODY + "\n", by=AGENT).memory


def variants(whole: str, lines: list[str]) -> dict[str, str]:
    """What agents send back of what they read, by how."""
    return {
        "as read": whole,
        "without the sentence above": "\n".join(lines[1:]),
        "without marks": "\n".join(line for line in lines if "memory-data" not in line),
        "only the header": "\n".join(lines[2:-1]),
        "nested": quoted(whole.split("\n")),
        "in upper case, indented": whole.replace("<memory-data>", "  <MEMORY-DATA>").replace(
            "</memory-data>", "  </ memory-data >"
        ),
    }


@pytest.mark.parametrize("how", list(variants("", [])))
def test_what_was_read_comes_back_as_it_was(memory, tram, clock, how):
    """vault-04: whatever part of our envelope an agent leaves around the text, the text alone is kept."""
    whole = read_whole(tram, clock.now())
    text = variants(whole, whole.split("\n"))[how]
    memory.notes.edit(tram.id, body=text, by=AGENT)
    assert memory.notes.get(tram.id).body.strip() == BODY


@pytest.mark.parametrize("entrance", ["save", "evolve", "edit"])
def test_every_entrance(memory, tram, clock, entrance):
    """Saving, updating and evolving take the envelope off alike, and what the agent added stays."""
    text = read_whole(tram, clock.now()).replace("at nine", "at eight")
    if entrance == "save":
        kept = memory.notes.save("decision", "", text, SaveOptions(unique=True), by=AGENT).memory
    elif entrance == "evolve":
        kept = memory.notes.evolve(tram.id, "earlier now", text, by=AGENT).memory
    else:
        kept = memory.notes.edit(tram.id, body=text, by=AGENT)
    assert kept.body.strip() == BODY.replace("at nine", "at eight")
    assert "memory-data" not in kept.title and "Recalled" not in kept.title


def test_lines_with_facts():
    """Lines of an answer that are pasted lose the facts behind them; brackets that a person wrote stay."""
    told = "- **Tram**: It leaves at nine. (decision, 3 days ago, trust: agent, F18MDH37)\n- Mine (fact, or so, in 2020)\n"
    assert without_envelope(told) == "- **Tram**: It leaves at nine.\n- Mine (fact, or so, in 2020)\n"


def test_what_show_prints(tram):
    """What `vade show` prints below a text is none of it."""
    assert without_envelope(shown(tram)).strip() == f"{tram.title}\n\n{BODY}"


@pytest.mark.parametrize("text", [
    "See <memory> and `memory_data`.\n", "(fact)\n", "A plan (v2, today)\n", "# A (B)\n\ntext\n", "Build ABCD1234 (note, later)\n",
    "\n\n x\n",
])  # fmt: skip
def test_texts_of_people_stay(text):
    """A text that only looks a little like ours stays byte for byte."""
    assert without_envelope(text) == text


def test_a_block_of_properties_is_read(memory):
    """A leading block gives title, tags, aliases and summary; the note has one block, and its text begins behind it."""
    text = "---\nname: Lock hours\ntags: [canal, hours]\ndescription: When the lock opens.\n---\n# Hours\n\nSix to ten.\n"
    kept = memory.notes.save("fact", "", text, by=AGENT).memory
    assert (kept.title, kept.tags, kept.summary) == ("Lock hours", ("canal", "hours"), "When the lock opens.")
    assert kept.body == "# Hours\n\nSix to ten.\n"
    changed = memory.notes.edit(kept.id, body="---\nid: X\ntitle: Lock times\ntags: canal\n---\nSeven to nine.\n", by=AGENT)
    assert (changed.title, changed.tags, changed.body, changed.id) == ("Lock times", ("canal",), "Seven to nine.\n", kept.id)


@pytest.mark.parametrize(("body", "title"), [
    ("# Lock hours\n\nSix.\n", "Lock hours"), ("- Six to ten.\n", "Six to ten."), ("---\ntitle: Named\n---\n# Other\n", "Named"),
    ("**Never** at night.\n", "Never at night."), ("> [!tip] Grease\n> Blue.\n", "Grease"), ("> [!tip]\n> Blue grease.\n", "Blue grease."),
    ("```sh\nmake dock\n```\n", "make dock"), ("> src/** and ** stay\n", "> src/** and ** stay"),
])  # fmt: skip
def test_title_from_the_text(body, title):
    """Without a title it is the property, the heading, or the first line."""
    assert incoming(Draft("fact", "", body)).title == title


@pytest.mark.parametrize("block", ["a: b: c", "title: [x", "author: Mo"])
def test_a_block_that_has_no_place_is_refused(memory, block):
    """Properties that cannot be read, or that a memory has no place for, are refused by name, and nothing is written."""
    with pytest.raises(InvalidInput, match="begins with"):
        memory.notes.save("fact", "T", f"---\n{block}\n---\ntext\n", by=AGENT)
    assert memory.notes.list() == ()


def test_a_rule_is_no_block():
    """A text that begins with a rule and prose keeps it."""
    text = "---\nOnly prose stands here.\n\n---\nMore.\n"
    assert taken_apart(text).body == text


@pytest.mark.parametrize(("title", "old", "new", "then"), [
    ("Always use structlog", "Always use structlog.", "Always use loguru.", "Always use loguru."),
    ("The boat is blue.", "The boat is blue.\n", "The boat is red.\n", "The boat is red."),
    ("Boat", "The boat is blue.", "The boat is red.", "Boat"),
    ("Never salt the pond", "Never salt the pond in winter.", "Always salt the pond in winter.", "Always salt the pond in winter."),
    ("Never salt the pond", "Never salt the pond in winter.", "Never salt the pond at all.", "Never salt the pond"),
    ("Postgres version", "Postgres version is 16.", "We run 17.", "Postgres version"),
])  # fmt: skip
def test_a_title_taken_from_the_text_follows_it(title, old, new, then):
    """A title that is the text's own sentence never says the opposite of the text; one that somebody chose stays."""
    assert title_that_follows(title, old, new) == then


def test_titles_follow_through_the_verbs(memory):
    """Evolving and editing keep the rule."""
    first = memory.notes.save("preference", "Always use structlog for logging", "Always use structlog for logging.").memory
    assert (
        memory.notes.evolve(first.id, "changed", "Always use loguru for logging.").memory.title
        == "Always use loguru for logging."
    )
    second = memory.notes.save("fact", "The boat is blue.", "The boat is blue.\n").memory
    assert memory.notes.edit(second.id, body="The boat is red.\n").title == "The boat is red."


def test_a_task_without_its_box(memory):
    """IN-44: a task is called what stands behind its box, and is done when the box is ticked."""
    tasks = [
        memory.notes.save("task", title).memory for title in ("[ ] Add rate limit tests", "- [x] Order plates", "[1] is a note")
    ]
    assert [(one.title, one.status) for one in tasks] == [
        ("Add rate limit tests", "active"), ("Order plates", "resolved"), ("[1] is a note", "active"),
    ]  # fmt: skip
