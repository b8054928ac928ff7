"""What is asked for by its name is shown: titles, aliases, file names and quoted phrases."""

import json

import pytest

from vademecum.domain.item import Item
from vademecum.domain.query import Query
from vademecum.inject.worth_showing import worth_showing
from vademecum.recall.names import asks_for_name, named_items, words_asked_for
from vademecum.recall.numbers import LOOSELY_NAMED
from vademecum.recall.rankers import rankers

NOUNS = "anchor barrel cabin deck engine ferry galley hatch".split()
WAYS = [
    "{}", "{}?", "explain {}", "explain {} to me", "please explain what {} is", "describe {}", "summarise my notes on {}",
    "what do we know about {}", "can you look up {}", "what does {} mean?", "where did I write about {}", "show me my {} page",
    "how do we do {}", "what do we use for {}", "which {} should we choose?", "where do I keep the {}", "wie machen wir {}",
    "is there a note about {}?", "erkläre {}", "was wissen wir über {}?", "résume mes notes sur {}", "explica {}", "explique {}",
]  # fmt: skip


@pytest.fixture
def harbour(opened, home):
    """A vault whose notes are full of one another's words; three of them have short names."""
    vault = home.parent
    for number in range(24):
        words = [NOUNS[(number + step) % 8] for step in range(8)]
        text = "\n\n".join(
            f"## {words[step]}\n\nKedging moves the {words[step]} to the {words[step - 1]}." for step in range(8)
        )
        (vault / f"{words[0]} {number}.md").write_text(f"{text}\n")
    (vault / "Kedging Cheat Sheet.md").write_text("Kedging is moving a boat by a thrown anchor. " * 20 + "\n")
    (vault / "Kedging.md").write_text("# Kedging\n\n[[Kedging Cheat Sheet]]\n\nKedging is moving a boat by a thrown anchor.\n")
    (vault / "XQE.md").write_text("External query of the engine room.\n")
    (vault / "drawings.md").write_text("---\ntitle: Deck drawings\naliases: [Plans of the deck]\n---\n![[deck.pdf]]\n")
    memory = opened(vault=str(vault))
    memory.maintenance.sync()
    return memory


@pytest.mark.parametrize("profile", sorted(rankers().keys() - {"agent", "composer"}))
def test_asked_for_by_title(harbour, told, profile):
    """The note of that title comes first, whatever the wording and the profile, for a person and for an agent's prompt."""
    for way in WAYS:
        for unasked in (False, True):
            assert told(harbour, way.format("kedging"), profile=profile, unasked=unasked)[:1] == ["Kedging"]


def test_other_names(harbour, told):
    """Aliases and file names are names; within a longer question two words in order or a quotation name a note."""
    for question, title in (
        ("plans of the deck", "Deck drawings"),
        ("drawings", "Deck drawings"),
        ("what is XQE", "XQE"),
        ("where in the Kedging cheat sheet do we say how it is done?", "Kedging Cheat Sheet"),
        ('what does "XQE" have to do with the galley and the hatch?', "XQE"),
        ("look at [[XQE]] and the hatch", "XQE"),
    ):
        assert told(harbour, question)[:1] == [title]


def test_file_names_and_headings(opened, home, told):
    """A note is named by its file name, also with its folder or ending, where its title is another, and by a heading of its own.

    A heading that several notes have names none; nor does one within a prompt that asks for nothing.
    """
    vault, notes = home.parent, {}
    for number in range(40):
        notes[f"Log {number}.md"] = (
            f"# Report {number}\n\n## Next steps\n\nThe plate of engine {number} is mounted by {NOUNS[number % 8]}.\n"
        )
    notes["Yard/Winterlager.md"] = "# Where the boats stay\n\nBehind the mill.\n\n## Mounting plate\n\nFour bolts into slate.\n"
    notes["Garten/Beete.md"] = "# Was wo wächst\n\nBohnen im Westen.\n\n## Kompost im Herbst\n\nLaub und Schnitt.\n"
    for name, text in notes.items():
        (vault / name).parent.mkdir(exist_ok=True)
        (vault / name).write_text(text)
    memory = opened(vault=str(vault))
    memory.maintenance.sync()
    for question in ("Winterlager", "winterlager.md", "Yard/Winterlager", "Yard/Winterlager.md", "Was steht in der Notiz Winterlager?",
                     "mounting plate", "what does the note say under mounting plate?"):  # fmt: skip
        assert told(memory, question)[:1] == ["Where the boats stay"], question
    assert told(memory, "mounting plate", unasked=True) == ["Where the boats stay"]
    for question in ("beete.md", "kompost im herbst", "erkläre Kompost im Herbst"):
        assert told(memory, question)[:1] == ["Was wo wächst"], question
    assert told(memory, "next steps", unasked=True) == []
    assert told(memory, "run the mounting plate tests and commit", unasked=True) == []


PLACES = {
    "places/maplevale-harbour.md": "# Maplevale Harbour\n\nThe berths of Maplevale are dredged every other winter.\n",
    "places/windrose.md": "# Windrose\n\nA yard for small boats, next to Maplevale Harbour.\n",
    "places/linden-yard.md": "# Linden Yard\n\nWhere the masts are kept. The lane to Linden Yard has old linden trees.\n",
}


@pytest.mark.parametrize(
    ("prompt", "titles"),
    [
        ("I'm sailing to Maplevale tomorrow — anything I should remember?", ["Maplevale Harbour"]),
        ("remind me what maplevale said about the fee", ["Maplevale Harbour"]),
        ("Did Windrose ever follow up on the offer?", ["Windrose"]),
        ("Can you pull up my notes on Windrose before the call?", ["Windrose"]),
        ("Ask Windrose about the offer.", []),
        ("which harbour do people in Norway like best?", []),
        ("what is the price of Maplevale Park?", []),
        ("what does Lowland Harbour think of the offer of the town?", []),
        ("when does a linden that stands by the road need to be cut by the town?", []),
    ],
)
def test_one_word_of_a_name(opened, home, prompt, titles):
    """One word of a title that is a name names the note, where the prompt asks; a common word, and another's name, do not."""
    for name, text in PLACES.items():
        (home.parent / name).parent.mkdir(exist_ok=True)
        (home.parent / name).write_text(text)
    memory = opened(vault=str(home.parent))
    memory.maintenance.sync()
    hits = memory.recall.ask(Query(prompt, unasked=True)).hits
    shown = worth_showing(memory.context.index, "", prompt, hits, memory.context.clock.now(), frozenset())
    assert [hit.item.title for hit in shown] == titles


def test_shows_text(harbour):
    """What is shown of a note says something: no line of links, no heading, no picture. A note of nothing else shows its title."""
    texts = [harbour.recall.ask(Query(question)).hits[0].passage.text for question in ("XQE", "kedging", "deck drawings")]
    assert texts[0] == "External query of the engine room."
    assert "moving a boat" in texts[1]
    assert texts[2] == "Deck drawings"


def test_names_nothing(harbour, told):
    """A prompt that names nothing is shown nothing for a name."""
    for prompt in ("fine, go on", "commit", "fix the tests and commit", "yes please", "3"):
        assert told(harbour, prompt, unasked=True) == []


def test_memories(opened, told):
    """A memory is named by its whole title, and by half of it where that is all that somebody looks for."""
    memory = opened()
    memory.notes.save("fact", "Autumn planning", "The plan for the garden is drawn in September.")
    memory.notes.save("fact", "Kettle", "It stands on the third shelf.")
    assert told(memory, "explain the kettle", unasked=True) == ["Kettle"]
    assert named("which leaves fall in autumn?", "memory", "Autumn planning", **BY_HAND) == frozenset()
    assert named("autumn", "memory", "Autumn planning", **BY_HAND)
    assert named("autumn", "memory", "Autumn planning", **AT_PROMPT) == frozenset()
    assert named("autumn", "memory", "Autumn planning of the orchard", **BY_HAND) == frozenset()
    assert named("where is our autumn planning kept?", "memory", "Autumn planning", **AT_PROMPT)


def test_one_word_of_a_long_title():
    """A prompt whose one word stands in the long title of a note does not mean that note; who searches by hand may."""
    for title in ("Mooring barges in the harbour of large towns", "Rules of mooring for guests"):
        assert named("where do we do the mooring?", "document", title, **BY_HAND)
        assert named("where do we do the mooring?", "document", title, **AT_PROMPT) == frozenset()
    assert named("where do we do the mooring?", "document", "Mooring lines", **AT_PROMPT)


def test_one_word_searched(opened, told):
    """An agent or a person who searches for one word of a memory's short title finds it, though one word says little to a model."""
    memory = opened(embedder="use")
    for title, text in {
        "Staging address": "https://staging.tern.example, only reachable through the VPN.",
        "No ORM in the importer": "Plain SQL; the ORM made the nightly import four times slower.",
        "Structured logs": "One line per event, names in snake_case; no personal data.",
        "Rate limit": "100 requests per minute for each key.",
    }.items():
        memory.notes.save("fact", title, text)
    memory.maintenance.refine()
    assert told(memory, "staging") == ["Staging address"]
    assert told(memory, "orm") == ["No ORM in the importer"]
    assert told(memory, "staging", unasked=True) == told(memory, "wifi password") == []


#: How a search by hand and a question at a prompt name loosely.
BY_HAND, AT_PROMPT = {"memory": LOOSELY_NAMED, "document": 0.0}, {"document": LOOSELY_NAMED}


def named(question, source, title, **loosely):
    """The keys of an item of that title that the question names."""
    item = Item(key="one", source=source, kind="fact", title=title, path="", space="personal", stat="", digest="")
    return named_items(question, {"one": item}, "en", loosely).shown


def test_another_of_that_name(opened, told):
    """Who asks for somebody by their full name is shown nobody else of the same first name; nor is anybody shown for an unknown one."""
    memory = opened(embedder="use")
    for title, text in {
        "Robin Vale": "Robin Vale runs the print shop and prefers mornings.",
        "Robin Marsh": "Robin Marsh is the auditor and must get the ledger by the fifth.",
        "Robin Marsh phone": "Robin Marsh's desk is on floor 9.",
        "Robina": "Robina Quill plants the oaks.",
        "Boat house": "Will Stroud keeps the boat house key.",
    }.items():
        memory.notes.save("fact", title, text, importance=0.9)
    memory.maintenance.refine()
    assert told(memory, "Robin Vale") == ["Robin Vale"]
    assert told(memory, "when does Robin Vale work?")[:1] == ["Robin Vale"]
    for question in ("does Robin Stroud sing", "what is Robin Stroud's desk?"):
        assert not [title for title in told(memory, question) if title.startswith("Robin")]
    assert "Robin Vale" in told(memory, "when does Robin work?")


@pytest.fixture
def told_of(memory, tmp_path):
    """Confidence of an answer, where two speakers told of a market among plants, of being late, and of what they have."""
    said = [f"We looked at plant {row} and gave it water." for row in range(60)]
    said.insert(30, "Katryn went to the harbour market in November and bought a small red kiln there.")
    said += ["I was late for the kiln.", "Have you seen it? They have a date for the kiln market."]
    lines = [{"type": "session", "id": "s", "time": "2025-01-05T09:00:00+00:00"}]
    lines += [
        {"id": f"s:{row}", "speaker": "Omarr" if row % 2 else "Lien", "text": text, "time": "2025-01-05T09:00:00+00:00"}
        for row, text in enumerate(said)
    ]
    (tmp_path / "talk.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    memory.maintenance.capture((str(tmp_path / "talk.jsonl"),), mine=False)
    return lambda question: memory.recall.ask(Query(question)).confidence


def test_name_spelt_otherwise(told_of):
    """A name that is spelt otherwise, or a month that is cut short, does not silence memory; a name that nobody ever wrote does."""
    assert told_of("Where did Katryn buy her kiln?") > 0.5
    assert told_of("Where did Katrin buy her kiln?") > 0.5
    assert told_of("Was a kiln bought at the harbour market in Nov?") > 0.5
    assert told_of("Was a kiln bought at the harbour market by the end of Thu?") > 0.5
    assert told_of("Which plant did Omar look at in the harbour market?") > 0.5
    assert told_of("Where did Zorba buy his kiln?") < 0.2


@pytest.mark.parametrize("name", ["Nate", "Dave", "Katarzyna"])
def test_name_is_no_word(told_of, name):
    """A name that nobody ever wrote is not the same as a common word that is spelt nearly so ("late", "have")."""
    assert told_of(f"Where did {name} buy his kiln?") < 0.3


@pytest.mark.parametrize(
    ("question", "title"),
    [
        ("aerzte", "Ärzte"),
        ("Oel wechseln", "Öl wechseln"),
        ("Waermepumpe", "Wärmepumpenwartung"),
        ("Wartung der Wärmepumpe", "Wärmepumpenwartung"),
        ("Strasse kehren", "Straße kehren"),
        ("Boeller", ""),
        ("Warte", ""),
    ],
)
def test_spellings_and_compounds(opened, home, told, question, title):
    """A word that occurs nowhere may lack umlauts or sharp s, or begin a compound. A note of few letters is shown."""
    for name in ("Ärzte", "Öl wechseln", "Wärmepumpenwartung", "Straße kehren"):
        (home.parent / f"{name}.md").write_text("Freitags.\n")
    for name in NOUNS:
        (home.parent / f"{name}.md").write_text(f"The {name} is near the quay of stone.\n")
    memory = opened(vault=str(home.parent), embedder="use")
    memory.maintenance.sync()
    assert told(memory, question)[:1] == ([title] if title else [])


def test_pasted_bulk_asks_for_nothing():
    """Only the ends of a long prompt ask for something by name; a pasted text in the middle may say "explain" thousands of times."""
    bulk = "Then explain the gudgeon.\n" * 4000
    assert words_asked_for(f"Explain kedging.\n{'x ' * 5000}{bulk}{'x ' * 5000}\nExplain warping.") == {
        "kedging",
        "warping",
    }
    assert not asks_for_name(f"{'x ' * 5000}{bulk}{'x ' * 5000}")
    assert asks_for_name(f"{'x ' * 5000}\nexplain kedging")
