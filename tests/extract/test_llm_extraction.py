"""What a model is shown of a conversation, and what of its answer is believed."""

import pytest

from vademecum.domain.session import Session, Turn
from vademecum.extract.llm_extraction import Conversation, candidates_of, understood
from vademecum.extract.numbers import MATERIAL_MAX_CHARS
from vademecum.extract.reading_prompt import SCHEMA, Around, Known, question
from vademecum.extract.voice import voices

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
    given = {
        "kind": "preference", "title": "", "topics": ["habits"], "at": 0, "backed": 0, "until": "", "relation": "new", "target": "",
    }  # fmt: skip
    return {"text": text, "quote": quote, **given, **more}


def answer(*facts, **more):
    return {"memories": list(facts), "handoff": told("About tea.", open=["the rest"]), "drifted": False, **more}


def told(asked, **more):
    return {"asked": asked, "done": [], "open": [], "next": "", **more}


def ask(said, summary="", known=()):
    return question(said, voices(said), Around(summary=summary, known=tuple(known)))


def read(*facts, said=SAID, known=(), **more):
    return understood(answer(*facts, **more), ask(turns(*said), known=known), session(said))


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


def test_doubted():
    """What says more than was said is never saved by itself: it waits in the inbox."""
    text = "The user always drinks green tea in the morning with honey, lemon, ginger and toast."
    (one,) = read(fact(text, "I always drink green tea in the morning")).candidates
    assert one.confidence == "low"
    assert "it says more than was said" in one.rationale


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("Prices are not part of the list of orders.", "export the list of orders, leave the prices out"),
        ("The order numbers must not change.", "keep the order numbers as they are"),
        ("A release needs the signed list, and is not finished without it.", "you forgot the signed list in the release"),
        ("Old receipts are kept.", "never delete old receipts"),
    ],
)
def test_worded_with_or_without_not(text, quote):
    """A reader may put an order or a correction with "not", or without it: what was typed is believed. The agent of the conversation may
    not: it could turn the person's words into their opposite."""
    said = (("user", f"{quote}."), ("agent", "Done, the list of orders is exported."))
    (one,) = read(fact(text, quote, kind="decision", lasting=True), said=said).candidates
    assert one.confidence == "high", one.rationale
    shown = ask(turns(*said)).shown
    found, _ = candidates_of([{"kind": "decision", "text": text, "quote": quote}], Conversation(session(said), shown), "agent")
    assert [one.confidence for one in found] == ["low"]


def test_worded_freely():
    """What the person typed stays theirs however freely a reader words it, also as a preference, where nothing near is pasted."""
    said = (("user", "check my stuff again: migrations go first there"), ("agent", "Fine."))
    text = "In reviews the migrations come first."
    (one,) = read(fact(text, "migrations go first there", lasting=True), said=said).candidates
    assert (one.confidence, one.trust) == ("high", "user"), one.rationale
    shown = (("user", PLAN.replace("Implement the following plan", "do all of this")), ("agent", "Done."))
    entry = fact("The cache of the reports is emptied each night at two.", "do all of this", at=1, lasting=True)
    assert reasons(entry, said=shown) == ["only the person's own words tell a preference"]


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


PLAN = (
    "Implement the following plan:\n\n# Cache\n\n## Context\n\n" + "The cache of the reports is emptied each night at two. " * 3
)


@pytest.mark.parametrize("quote", ["The cache of the reports is emptied each night at two", "Implement the following plan"])
def test_pasted_waits(quote):
    """What rests on pasted text waits, also when the words that hand it over are quoted; and it tells nothing about the person."""
    said = (("user", PLAN), ("agent", "Done."), ("user", "commit it"), ("agent", "Committed."))
    found = read(fact("The cache of the reports is emptied each night.", quote, kind="decision", at=1, backed=3), said=said)
    assert [(one.confidence, one.trust) for one in found.candidates] == [("medium", "agent")]
    assert "pasted text" in found.candidates[0].rationale
    assert read(fact("The user empties the cache of the reports each night.", quote), said=said).candidates == ()


@pytest.mark.parametrize(
    ("words", "kind", "backed", "lasting", "outcome", "confidence"),
    [
        ("chosen", "decision", 1, True, "1 file changed", "high"),
        ("chosen", "decision", 1, False, "1 file changed", "medium"),
        ("chosen", "decision", 1, True, "error: hook failed", "medium"),
        ("chosen", "decision", 4, True, "1 file changed", "high"),
        ("chosen", "decision", 4, False, "1 file changed", "medium"),
        ("chosen", "decision", 4, True, "error: hook failed", "medium"),
        ("chosen", "decision", 0, True, "1 file changed", "medium"),
        ("cause", "fix", 4, True, "1 file changed", "high"),
        ("cause", "fix", 4, False, "1 file changed", "medium"),
        ("cause", "fix", 4, True, "error: hook failed", "medium"),
    ],
)
def test_carried_out(words, kind, backed, lasting, outcome, confidence):
    """Of a plan that was carried out what lasts counts: what it says the person chose, its rules, the cause of a fault; no detail of the
    change."""
    told = {
        "chosen": ("Old reports stay when the cache is emptied.", "Keep old reports when the cache is emptied"),
        "cause": ("The cache was never emptied since the clock ran in another zone.", "since the clock ran in another zone"),
    }
    plan = f"{PLAN}It was never emptied since the clock ran in another zone.\n\n## Design decisions (from user input)\n\n"
    said = [
        Turn("1", "user", f"{plan}- **Reports**: Keep old reports when the cache is emptied\n"),
        Turn("2", "agent", "All of it is done."),
        Turn("3", "user", "commit it"),
        Turn("4", "tool", "Bash: git commit -m cache", tools=("Bash",)),
        Turn("5", "tool", outcome, name="Bash"),
    ]
    text, quote = told[words]
    entry = fact(text, quote, kind=kind, at=1, backed=backed, lasting=lasting)
    found = understood(answer(entry), ask(said), session())
    assert [one.confidence for one in found.candidates] == [confidence], found.rejected


@pytest.mark.parametrize("kind", ["decision", "fact", "preference"])
def test_not_meant_to_last(kind):
    """What the person typed for this work alone stands in the handoff, and is no memory; what they mean to last is one."""
    entry = fact("Never push to main on Fridays.", "Never push to main on Fridays", kind=kind)
    found = read(entry | {"lasting": False})
    assert (found.candidates, found.handoff.decided) == ((), ("Never push to main on Fridays.",))
    assert "Decided: Never push to main on Fridays." in found.summary
    assert [why for _, why in found.rejected] == ["it is not meant to last; the handoff tells it"]
    lasting = read(entry | {"lasting": True})
    assert ([one.confidence for one in lasting.candidates], lasting.handoff.decided) == (["high"], ())


def test_not_meant_to_last_and_not_said():
    """What nobody said is not in the handoff either; what the agent said waits as before; what is known is confirmed."""
    invented = fact("The user owns a boat.", "I own a boat", lasting=False)
    agents = fact("SQLite was chosen for the index.", "We settled on SQLite for the index", kind="decision", lasting=False)
    again = TEA | {"relation": "same", "target": "m1", "lasting": False}
    found = read(invented, agents, again, known=(Known("a1", "preference", "Green tea."),))
    assert found.handoff.decided == ()
    assert [(one.relation, one.confidence) for one in found.candidates] == [("same", "high"), ("new", "medium")]


@pytest.mark.parametrize(
    ("typed", "confidence"),
    [("do it", "high"), ("go ahead and push", "high"), ("looks good", "high"), ("commit and push", "medium"), ("don't do it", "medium"),
     ("do it how?", "medium"), ("machen wir so", "high"), ("adelante", "high"), ("就这么办", "high")],
)  # fmt: skip
def test_taken_up(typed, confidence):
    """What an agent proposed is agreed to by whatever takes it up, not only by a yes; an order for the task is none."""
    said = [
        Turn("1", "user", "How should we keep the cache?"),
        Turn("2", "agent", "I would keep the cache in SQLite. Redis needs a server."),
        Turn("3", "user", typed),
    ]
    cache = fact("The cache is kept in SQLite since Redis needs a server.", "keep the cache in SQLite", kind="decision", at=2)
    found = understood(answer(cache | {"backed": 3}), ask(said), session())
    assert [one.confidence for one in found.candidates] == [confidence]


REPORT = "The cache moved to SQLite since Redis needs a server. Shall the old dump go, too?"


@pytest.mark.parametrize(
    ("typed", "outcome", "between", "confidence"),
    [("commit", "1 file changed", "", "high"), ("commit and push these changes", "1 file changed", "", "high"),
     ("haz commit", "1 file changed", "", "high"), ("提交", "1 file changed", "", "high"),
     ("commit", "error: hook failed", "", "medium"), ("commit", "", "", "medium"), ("don't commit", "1 file changed", "", "medium"),
     ("commit", "1 file changed", "The tests are slow.", "medium"), ("which commit?", "1 file changed", "", "medium")],
)  # fmt: skip
def test_committed(typed, outcome, between, confidence):
    """Having work committed accepts what the agent reported just before, if a command then succeeds."""
    said = [
        Turn("1", "user", "Clean up the cache."),
        Turn("2", "agent", REPORT),
        *([Turn("2b", "agent", between)] if between else ()),
        Turn("3", "user", typed),
        *(
            [Turn("4", "tool", "Bash: git commit -m cache", tools=("Bash",)), Turn("5", "tool", outcome, name="Bash")]
            if outcome
            else ()
        ),
    ]
    asked = ask(said)
    entry = fact(
        "The cache is kept in SQLite since Redis needs a server.", "moved to SQLite since Redis needs a server", kind="decision"
    )
    at, number = (next(line.number for line in asked.shown if line.turn.ref == ref) for ref in ("2", "3"))
    found = understood(answer(entry | {"at": at, "backed": number}), asked, session())
    assert [one.confidence for one in found.candidates] == [confidence]


def test_a_question_is_not_answered_by_a_commit():
    """What an agent asks in its report is open, whatever is committed."""
    said = [
        Turn("1", "user", "Clean up the cache."),
        Turn("2", "agent", REPORT),
        Turn("3", "user", "commit"),
        Turn("4", "tool", "Bash: git commit -m cache", tools=("Bash",)),
        Turn("5", "tool", "1 file changed", name="Bash"),
    ]
    entry = fact("The old dump of the cache goes.", "Shall the old dump go, too", kind="decision", lasting=True, at=2, backed=3)
    assert [one.confidence for one in understood(answer(entry), ask(said), session()).candidates] == ["medium"]


@pytest.mark.parametrize(
    ("command", "outcome", "kind", "lasting", "confidence"),
    [("gh pr edit 7 --body x", "failed", "lesson", True, "high"), ("gh pr edit 7 --body x", "failed", "incident", True, "high"),
     ("gh pr edit 7 --body x", "succeeded", "lesson", True, "medium"), ("gh pr edit 7 --body x", "failed", "lesson", False, "medium"),
     ("gh pr edit 7 --body x", "failed", "fact", True, "medium"), ("grep -rn projects .", "failed", "lesson", True, "medium"),
     ("npm run sounds", "failed", "lesson", True, "medium")],
)  # fmt: skip
def test_failed_at(command, outcome, kind, lasting, confidence):
    """An agent's lesson counts when a command that has to do with it failed just before; a search that finds nothing is no failure."""
    output = "GraphQL: classic projects are deprecated" if "sounds" not in command else "no such file"
    said = [
        Turn("1", "user", "Update the text of the pull request."),
        Turn("2", "tool", f"Bash: {command}", tools=("Bash",)),
        Turn("3", "tool", output, name="Bash", outcome=outcome),
        Turn("4", "agent", "Editing fails on the deprecated classic projects field, so I use the REST endpoint."),
    ]
    asked = ask(said)
    entry = fact(
        "gh pr edit fails on the deprecated classic projects field; use the REST endpoint.",
        "fails on the deprecated classic projects field",
        kind=kind,
        lasting=lasting,
    )
    at = next(line.number for line in asked.shown if line.turn.ref == "4")
    found = understood(answer(entry | {"at": at}), asked, Session("codex", "a", "/t.jsonl", tuple(said), project="shop"))
    assert [one.confidence for one in found.candidates] == [confidence]


def test_agreed_and_proved():
    """What an agent said counts when the person agreed to it in what they type next, or a command shows it; a question is no yes."""
    said = [
        Turn("1", "user", "How should we keep the cache?"),
        Turn("2", "agent", "I would keep the cache in SQLite. Redis needs a server."),
        Turn("3", "user", "yes, do that"),
        Turn("4", "agent", "The commit hook fails since old clones lie in the folder tmp, which its tests pick up."),
        Turn("5", "tool", "Bash: git commit -m cache", tools=("Bash",)),
        Turn("6", "tool", "error: hook failed in tmp/clones", name="Bash"),
        Turn("7", "user", "why is that?"),
        Turn("8", "tool", "Bash: grep -rn pytest .", tools=("Bash",)),
        Turn("9", "tool", "a.py: pytest", name="Bash"),
    ]
    cache = fact("The cache is kept in SQLite since Redis needs a server.", "keep the cache in SQLite", kind="decision", at=2)
    hook = fact(
        "The commit hook fails when old clones lie in tmp.", "The commit hook fails since old clones", kind="lesson", at=4
    )
    backings = [
        (cache, 3, "high"),
        (cache, 1, "medium"),
        (cache, 0, "medium"),
        (hook, 5, "high"),
        (hook, 6, "medium"),
        (hook, 7, "medium"),
        (hook, 99, "medium"),
    ]
    for entry, backed, confidence in backings:
        found = understood(answer(entry | {"backed": backed}), ask(said), session())
        assert [one.confidence for one in found.candidates] == [confidence], (entry["text"], backed)


@pytest.mark.parametrize(
    ("answer_given", "confidence"),
    [
        ("yes", "high"), ("do 1", "high"), ("ok, can you also push it?", "high"), ("commit this", "medium"), ("sí, hazlo", "high"),
        ("SQLite please", "high"),
        ("no, keep Redis", "medium"), ("Why SQLite?", "medium"), ("lieber nicht", "medium"), ("不要", "medium"),
    ],
)  # fmt: skip
def test_yes_and_no(answer_given, confidence):
    """A refusal, nothing but a question, or an order for the task is no agreement."""
    said = (("user", "Where does the cache go?"), ("agent", "1. I would keep the cache in SQLite."), ("user", answer_given))
    entry = fact("The cache is kept in SQLite.", "keep the cache in SQLite", kind="decision", at=2, backed=3)
    assert [one.confidence for one in read(entry, said=said).candidates] == [confidence]


def test_held_against_its_surroundings():
    """A resolved "it", a negation beside the quotation, a sentence that runs on into a question, and a full stop inside are support."""
    said = (
        ("agent", "Shall the nightly importer write to the old invoices folder, too?"),
        ("user", "No. It reads the old\nfolder. It must not write there, can you check that?"),
        ("agent", "Checked."),
    )
    text = "The nightly importer reads the old invoices folder and does not write there."
    for quote in (
        "It reads the old folder. It must not write there",
        "It must not write there, can you",
        "reads the old folder",
    ):
        (one,) = read(fact(text, quote, kind="fact"), said=said).candidates
        assert one.confidence == "high", quote


def test_a_joke_is_a_word():
    said = (("user", "The joke command of the bot stays in the product."), ("agent", "It stays."))
    (one,) = read(fact("The joke command of the bot stays in the product.", said[0][1], kind="decision"), said=said).candidates
    assert one.confidence == "high"


def test_passing():
    """Questions, guesses and what is meant for the moment are never saved by themselves (VO-28)."""
    (one,) = read(fact("Redis could be used.", "Maybe we could use Redis some day", kind="idea")).candidates
    assert one.confidence == "low"
    assert "a question, a guess, or meant for the moment" in one.rationale
    said = (("user", "Is the index kept in SQLite? Can we keep the index in SQLite? For now the index stays in SQLite."),)
    quotes = {
        "Is the index kept in SQLite": "low",
        "Can we keep the index in SQLite": "high",
        "the index stays in SQLite": "low",
    }
    for quote, confidence in quotes.items():
        (one,) = read(fact("The index stays in SQLite.", quote, kind="decision"), said=said).candidates
        assert one.confidence == confidence, quote
    (one,) = read(
        fact("For now the index stays in SQLite.", "the index stays in SQLite", kind="decision"), said=said
    ).candidates
    assert one.confidence == "high"
    (one,) = read(fact("Never push to main on Fridays.", "Never push to main on Fridays")).candidates
    assert one.confidence == "high"


def test_told_as_a_thought():
    """What a reader says is meant to last is believed in the form of a question or a guess; without an apostrophe, too, "not" is said."""
    said = (
        ("user", "maybe the scores are 30 for three records no?? and we dont show who came last."),
        ("agent", "Three records give 30 points now, and nobody is shown as last."),
    )
    scores = fact("Three records give scores of 30.", "maybe the scores are 30 for three records", kind="decision")
    (one,) = read({**scores, "lasting": True}, said=said).candidates
    assert one.confidence == "high"
    passing = read({**scores, "lasting": False}, said=said)
    assert (passing.candidates, passing.handoff.decided) == ((), ())
    (one,) = read(
        fact("The list of scores does not show who came last.", "we dont show who came last", kind="decision"), said=said
    ).candidates
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
    """A candidate names the memory that it touches; the agent of a conversation only proposes what touches one."""
    known = (Known("FIRST", "preference", "Drinks coffee."), Known("SECOND", "fact", "x"))
    entry = TEA | {"relation": relation, "target": "m1"}
    (one,) = read(entry, known=known).candidates
    assert (one.relation, one.target, one.confidence) == (relation, "FIRST", "high")
    said = Conversation(session(), ask(turns(*SAID)).shown, known)
    ((proposed,), _) = candidates_of([entry], said, "agent")
    assert (proposed.relation, proposed.target, proposed.confidence) == (relation, "FIRST", "medium")


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
    """Addresses that somebody named in the conversation, but for those in what was pasted."""
    said = (("user", "See https://example.org/a, the tea is there."), ("user", "# A\n\n# B\nhttps://example.org/b"))
    assert read(said=said).mentions == ("https://example.org/a",)


@pytest.mark.parametrize(
    ("text", "is_shown"),
    [
        (
            "The nightly importer reads old invoices from the archive and writes totals into the ledger without locking tables.",
            True,
        ),
        (
            "The landing page greets returning visitors with seasonal pictures chosen by the marketing department every quarter.",
            False,
        ),
        ("The landing page greets returning visitors.", True),
    ],
)
def test_known_that_may_be_meant(text, is_shown):
    """Of what is known a long memory whose words the conversation hardly has is not shown; the others keep their numbers."""
    said = turns(
        ("user", "The nightly importer still reads old invoices from the archive."),
        ("agent", "It writes totals into the ledger, and locks no tables."),
    )
    last = Known("b", "fact", "The importer reads invoices.")
    asked = ask(said, known=(Known("a", "fact", text), last))
    assert (text in asked.prompt.text, asked.known[-1]) == (is_shown, last)
    assert f"m{len(asked.known)} (fact): The importer reads invoices." in asked.prompt.text


def test_what_is_shown():
    """Who typed, who pasted and what the agent said, shortened; no code but for single lines, no tool output, nothing private, no
    sub-agent."""
    said = [
        Turn("1", "user", "Use port 8080. <private>My PIN is hunter-two.</private>\n```\nsecret_code = 1\nmore()\n```"),
        Turn("2", "tool", "tool output"),
        Turn("3", "agent", "sub-agent talk", sidechain=True),
        Turn("4", "user", "# Title\n\n# Another\n" + "A pasted paragraph. " * 200),
        Turn("5", "user", "/compact now"),
        Turn("6", "agent", "Now the tests."),
        Turn("7", "tool", "Bash: pytest -q", tools=("Bash",)),
        Turn("8", "tool", "E   assert 1\n1 failed, 3 passed in 2s", name="Bash"),
        Turn("8a", "agent", "One fails."),
        Turn("8b", "tool", "AskUserQuestion: Which port?", tools=("AskUserQuestion",)),
        Turn("9", "tool", 'Answered: "Which port, 1 or 2?"="The second".', name="AskUserQuestion"),
        Turn("9.1", "answer", "The second", question="Which port, 1 or 2?"),
        Turn("10", "agent", "Noted."),
    ]
    asked = ask(said, "Earlier they chose a port.", [Known("ID", "fact", "Known text.")])
    lines = asked.prompt.text.splitlines()
    assert "[1] user: Use port 8080. [code]" in lines
    assert "[3] ran: pytest -q => failed: 1 failed, 3 passed in 2s" in lines
    assert "[4] agent: One fails." in lines
    assert "[5] user: (asked: Which port, 1 or 2?) The second" in lines
    assert "[6] agent: Noted." in lines
    assert "m1 (fact): Known text." in lines
    (pasted,) = (line for line in lines if line.startswith("[2] user, pasted: # Title # Another A pasted"))
    assert len(pasted) < 2_300
    for hidden in ("hunter-two", "secret_code", "tool output", "sub-agent", "/compact", "Now the tests", "ID"):
        assert hidden not in asked.prompt.text
    assert (asked.turns, asked.more) == (7, False)


def test_a_command_in_a_block_is_shown():
    """A block of one line, such as a command that the person wants remembered, is told; longer code is not."""
    (line,) = (one.line for one in ask(turns(("user", "Remember the build:\n```bash\nmake all CC=clang\n```"))).shown)
    assert line == "[1] user: Remember the build: `make all CC=clang`"


ANNOUNCED = {
    "en": "Let me look at the build output first.",
    "en, other sign": "I’m checking the build output now and will then run the tests.",
    "de": "Ich werde jetzt die Ausgabe des Baus lesen.",
    "es": "Ahora voy a leer la salida de la compilación.",
    "pt": "Agora vou ler a saída da compilação toda.",
    "zh": "让我看一下构建的输出，然后再运行测试。",
}


@pytest.mark.parametrize("announced", ANNOUNCED.values(), ids=ANNOUNCED)
def test_announcements_are_left_out(announced):
    """What an agent only says it does next is not shown, in any language; what it found beside that is, and so is an announced step with
    its reason."""
    found = "The linter stops every commit while the generated client is stale, and it is always stale after a checkout."
    step = [Turn("1", "user", "Commit it."), Turn("2", "agent", f"{announced} {found}"), Turn("3", "agent", "Committed.")]
    assert [one.line for one in ask(step).shown] == ["[1] user: Commit it.", f"[2] agent: {found}", "[3] agent: Committed."]
    (_, told, _) = (one.line for one in ask([step[0], Turn("2", "agent", WITH_REASON), step[2]]).shown)
    assert told == f"[2] agent: {WITH_REASON}"


WITH_REASON = "Let me stop the watcher first, because it writes the schema anew while the check reads it."


def test_a_long_report_keeps_its_causes():
    """Of a report that is too long the first and last sentence stay, and those that tell a cause: whole, in their order."""
    cause = "The upload stalls because the proxy closes idle connections."
    filler = [f"Part number {number} of the work went well and as planned." for number in range(400)]
    report = " ".join(["I rebuilt the upload.", *filler[:200], cause, *filler[200:], "Everything is pushed."])
    (_, told) = (one.text for one in ask(turns(("user", "Go on."), ("agent", report))).shown)
    assert len(told) < 1_500
    assert told.startswith("I rebuilt the upload. ") and told.endswith("… Everything is pushed.") and f" … {cause} … " in told


def test_a_cause_is_told_right_after_a_failure():
    """What the agent says right after a command failed is shown like a report, not like a step."""
    cause = " ".join(["The hook cannot find the lock file of the workspace."] * 9)
    said = [
        Turn("1", "user", "Run the tests."),
        Turn("2", "tool", "Bash: pytest -q", tools=("Bash",), call="c"),
        Turn("3", "tool", "1 failed, 3 passed in 2s", name="Bash", call="c"),
        Turn("4", "agent", cause),
        Turn("5", "agent", "They pass now."),
    ]
    assert f"[3] agent: {cause}" in [one.line for one in ask(said).shown]


def test_nothing_said():
    """Without speech there is nothing to ask (VO-30)."""
    assert ask([]) is None
    assert ask([Turn("1", "user", "<private>mine</private>")]) is None


def test_long():
    """What does not fit is left for another reading, and every turn is in exactly one."""
    said = turns(*[("user", f"Sentence number {number} of a long talk. " * 8) for number in range(200)])
    first = ask(said)
    assert first.more
    assert len(first.prompt.text) < MATERIAL_MAX_CHARS * 1.1
    rest, count = said, 0
    while rest:
        asked = ask(rest)
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


def test_calls_of_a_rule():
    """The calls that a reader names for a rule are kept when they can be read and something of them was said; a guess is not."""
    said = (("user", "Never run alembic with --autogenerate here, write migrations by hand."),)
    asked = ["run: alembic revision --autogenerate", "run: terraform apply", "nonsense", "edit: migrations/"]
    (one,) = read(
        fact("Never run alembic with --autogenerate.", "Never run alembic with --autogenerate", when=asked), said=said
    ).candidates
    assert one.when == ("run: alembic revision --autogenerate", "edit: migrations/")
