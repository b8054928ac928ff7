"""What a model is shown of a conversation, and what of its answer is believed."""

import pytest

from vademecum.capture.by_model import MATERIAL_MAX_CHARS, SCHEMA, Known, question, understood
from vademecum.model.session import Session, Turn

SAID = (
    ("user", "I always drink green tea in the morning, because coffee keeps me awake."),
    ("agent", "We settled on SQLite for the index since it needs no server. The tests pass now."),
    ("user", "Maybe we could use Redis some day? Never push to main on Fridays."),
    ("user", "Ich wohne seit März in Porto. 我住在北京。"),
)


def turns(*said):
    return [Turn(str(number), role, text) for number, (role, text) in enumerate(said, 1)]


def session(said=SAID):
    return Session("codex", "a", "/t.jsonl", tuple(turns(*said)), project="shop")


def fact(text, quote, **more):
    given = {"kind": "preference", "topics": ["habits"], "importance": 0.7, "relation": "new", "target": "", "rationale": ""}
    return {"text": text, "quote": quote, **given, **more}


def answer(*facts, **more):
    return {
        "facts": list(facts), "mentions": [], "session_summary": "About tea.", "conversation_so_far": "They talk about tea.",
        "episode_outcome": {"success": True, "result_summary": "Nothing built."}, "topic_drift_detected": False, **more,
    }  # fmt: skip


def read(*facts, said=SAID, known=(), **more):
    asked = question(turns(*said), "", known)
    return understood(answer(*facts, **more), asked, session(said))


def reasons(*facts, **more):
    return [why for _, why in read(*facts, **more).rejected]


TEA = fact("The user always drinks green tea in the morning.", "I always drink green tea in the morning")


def test_believed():
    """What the person said outright, in their words: saved like what a pattern finds."""
    (one,) = read(TEA).candidates
    assert (one.kind, one.confidence, one.trust, one.topics) == ("preference", "high", "user", ("habits",))
    assert (one.source, one.span, one.project, one.pattern) == ("session://codex/a", ("1", "1"), "shop", "model preference")
    assert one.rationale.startswith("model preference: ")
    assert "green tea" in one.excerpt


@pytest.mark.parametrize(
    ("text", "quote"),
    [("Der Nutzer wohnt seit März in Porto.", "Ich wohne seit März in Porto"), ("用户住在北京。", "我住在北京")],
)
def test_other_languages(text, quote):
    (one,) = read(fact(text, quote, kind="identity")).candidates
    assert one.confidence == "high"


def test_invented():
    """A model's invention is nowhere in the conversation, whatever it quotes."""
    assert reasons(fact("The user owns a boat.", "I own a boat")) == [
        "the words it is said to come from do not occur in the conversation"
    ]
    assert reasons(fact("The user owns a large wooden boat.", "I always drink green tea in the morning")) == [
        "it says something else than the words it comes from"
    ]
    assert reasons(fact("The user owns a boat.", "")) == ["the words it is said to come from do not occur in the conversation"]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("The user never drinks green tea in the morning.", "it may turn round what was said"),
        ("The user always drinks green tea in the morning with honey, lemon, ginger and toast.", "it says more than was said"),
    ],
)
def test_doubted(text, why):
    """What differs from what was said is never saved by itself: it waits in the inbox."""
    (one,) = read(fact(text, "I always drink green tea in the morning")).candidates
    assert one.confidence == "low"
    assert why in one.rationale


def test_quotation_as_typed():
    """Another case, spacing or sort of quotation mark is the same quotation."""
    said = (("user", "I use  “dark mode” everywhere, don’t change it."),)
    (one,) = read(fact("The user uses dark mode everywhere.", 'i use "dark mode"  everywhere'), said=said).candidates
    assert one.confidence == "high"


def test_agents_words():
    """What an agent said is proposed at most, and tells nothing about the person."""
    quote = "We settled on SQLite for the index since it needs no server"
    (one,) = read(fact("SQLite was chosen for the index since it needs no server.", quote, kind="decision")).candidates
    assert (one.confidence, one.trust) == ("medium", "agent")
    assert reasons(fact("The user settled on SQLite for the index.", quote)) == [
        "only the person's own words tell a preference"
    ]


def test_passing():
    """Questions, guesses and what is meant for the moment are no facts (VO-28)."""
    assert reasons(fact("Redis could be used.", "Maybe we could use Redis some day", kind="idea")) == [
        "it was a question, a guess, or meant for the moment"
    ]
    (one,) = read(fact("Never push to main on Fridays.", "Never push to main on Fridays")).candidates
    assert one.confidence == "high"


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"text": "  "}, "it has no text"),
        ({"text": 3}, "it has no text"),
        ({"text": "x" * 301}, "its text is longer than 300 characters"),
        ({"kind": "handoff"}, "a conversation teaches no 'handoff'"),
        ({"kind": "mood"}, "a conversation teaches no 'mood'"),
        ({"kind": None}, "a conversation teaches no None"),
        ({"importance": 0.19}, "its importance is below 0.2"),
        ({"importance": 7}, "its importance is no number from 0 to 1"),
        ({"importance": "high"}, "its importance is no number from 0 to 1"),
        ({"importance": True}, "its importance is no number from 0 to 1"),
        ({"relation": "replace"}, "there is no relation 'replace'"),
        ({"relation": "update", "target": "m2"}, "it is to update a memory that was not shown"),
        ({"relation": "update", "target": "m0"}, "it is to update a memory that was not shown"),
        ({"relation": "update", "target": ""}, "it is to update a memory that was not shown"),
    ],
)
def test_bad_entries(change, why):
    """Each bad entry is rejected with its reason, and the good ones beside it are kept (VO-27, VO-29)."""
    found = read(
        TEA | change, fact("Never push to main on Fridays.", "Never push to main on Fridays"), known=[Known("ID", "fact", "x")]
    )
    assert [why for _, why in found.rejected] == [why]
    assert len(found.candidates) == 1


@pytest.mark.parametrize("entry", [None, "tea", 3, []])
def test_entries_that_are_none(entry):
    assert reasons(entry) == ["it is no object"]


def test_facets():
    """Another system's word for a kind is understood."""
    assert read(TEA | {"kind": "convention"}).candidates[0].kind == "preference"


@pytest.mark.parametrize("relation", ["update", "extend", "derive", "contradict"])
def test_relations(relation):
    """A candidate names the memory that it touches; what touches one is never saved by a model alone."""
    known = [Known("FIRST", "preference", "Drinks coffee."), Known("SECOND", "fact", "x")]
    (one,) = read(TEA | {"relation": relation, "target": "m1"}, known=known).candidates
    assert (one.relation, one.target, one.confidence) == (relation, "FIRST", "medium")


def test_caps():
    """Ten of a kind from one reading, and nothing twice."""
    said = [("user", f"We decided to use engine{number} for shop{number}.") for number in range(14)]
    facts = [
        fact(f"Engine{number} is used for shop{number}.", f"We decided to use engine{number} for shop{number}", kind="decision")
        for number in range(14)
    ]
    found = read(*facts, facts[0], said=said)
    assert len(found.candidates) == 10
    assert [why for _, why in found.rejected] == ["10 of kind decision are enough"] * 4 + ["it says the same as another"]


def test_mentions():
    """Addresses count when they stand in the conversation."""
    said = (("user", "See https://example.org/a and TICKET-7 for the tea."),)
    named = [{"uri": uri, "label": "", "kind": "url"} for uri in ("https://example.org/a", "https://example.org/b", 3)]
    assert [one.uri for one in read(said=said, mentions=[*named, None]).mentions] == ["https://example.org/a"]


def test_what_is_shown():
    """Speech alone: no code, no tool output, nothing private, no pasted document, no sub-agent."""
    said = [
        Turn("1", "user", "Use port 8080. <private>My PIN is hunter-two.</private>\n```\nsecret_code = 1\n```"),
        Turn("2", "tool", "tool output"),
        Turn("3", "agent", "sub-agent talk", sidechain=True),
        Turn("4", "user", "# Title\n\n# Another\n" + "A pasted paragraph. " * 200),
        Turn("5", "user", "/compact now"),
        Turn("6", "agent", "Noted."),
    ]
    asked = question(said, "Earlier they chose a port.", [Known("ID", "fact", "Known text.")])
    text = asked.prompt.text
    for shown in ("[1] user: Use port 8080.", "[2] agent: Noted.", "Earlier they chose a port.", "m1 (fact): Known text."):
        assert shown in text
    for hidden in ("hunter-two", "secret_code", "tool output", "sub-agent", "pasted", "/compact", "ID"):
        assert hidden not in text
    assert (asked.turns, asked.more) == (6, False)


def test_nothing_said():
    """Without speech there is nothing to ask (VO-30)."""
    assert question([], "", []) is None
    assert question([Turn("1", "user", "```\ncode\n```")], "", []) is None


def test_long():
    """What does not fit is left for another reading, and every turn is in exactly one."""
    said = turns(*[("user", f"Sentence number {number} of a long talk. " * 8) for number in range(200)])
    first = question(said, "", [])
    assert first.more
    assert len(first.prompt.text) < MATERIAL_MAX_CHARS * 1.1
    rest, count = said, 0
    while rest:
        asked = question(rest, "", [])
        assert asked.turns > 0
        count += len(asked.shown)
        rest = rest[asked.turns :]
    assert count == 200


def test_schema_is_strict():
    """Strict endpoints want every property required and none added, at every level."""

    def objects(schema):
        if schema.get("type") == "object":
            yield schema
            for inner in schema["properties"].values():
                yield from objects(inner)
        if "items" in schema:
            yield from objects(schema["items"])

    for one in objects(SCHEMA):
        assert one["required"] == list(one["properties"])
        assert one["additionalProperties"] is False
