"""Questions that several conversations answer together, and instructions that are told by their condition."""

import json
import re
from datetime import UTC, datetime

import pytest
from tests.by_hand import written_by_hand

from vademecum.domain.query import Query
from vademecum.recall.query_parsing import asked_text, shape

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)


@pytest.mark.parametrize(
    ("question", "breadth"),
    [
        ("In which order did I bring up the parts of my boat?", "sequence"),
        ("Can you summarize how my boat has developed over time?", "summary"),
        ("Which cities have I visited?", "listing"),
        ("How many books did Tim read?", "listing"),
        ("Which port is it?", ""),
        ("How many days ago was that?", ""),
        ("In welcher Reihenfolge haben wir das gebaut?", "sequence"),
        ("Quais livros li?", "listing"),
        ("¿Cuántos libros leí?", "listing"),
        ("我读过哪些书？", "listing"),
        ("请总结一下我的项目", "summary"),
        ("Quelles villes ai-je visitées ?", "listing"),
        ("Dans quel ordre ai-je parlé de mon bateau ?", "sequence"),
        ("Résume ce que j'ai dit du jardin", "summary"),
        ("Resume o que eu disse da horta", "summary"),
        ("Resúmeme lo del jardín", "summary"),
        ("Resume the migration of the wiki.", ""),
        ("Update my résumé for the job.", ""),
        ("Qu'est-ce que nous avons décidé pour le port ?", ""),
        ("Acho que nós vamos amanhã", ""),
        ("¿A qué hora es la reunión que tenemos el lunes?", ""),
    ],
)
def test_what_a_question_asks_for(question, breadth):
    """Lists, summaries and the order of things are known by words of six languages, not by what looks like one in another."""
    assert shape(question, NOW).breadth == breadth


def test_frame_is_not_looked_for():
    """Of a question about the order of things only its topic is looked for."""
    assert (
        asked_text("Can you list the order in which I brought up parts of my boat in our conversations?")
        == "parts of my boat ?"
    )


@pytest.mark.parametrize(
    ("form", "left"),
    [
        ("Mention only five items.", "parts of my boat?"),
        ("Keep it to at most 3 sentences.", "parts of my boat?"),
        ("Mention only the mast.", "parts of my boat? Mention only the mast."),
    ],
)
def test_form_of_the_answer_is_not_looked_for(form, left):
    """How long the answer may be says nothing about the subject; what it may be about does."""
    assert asked_text(f"In which order did I mention parts of my boat? {form}") == left


@pytest.fixture
def boat(memory, tmp_path):
    """Four conversations in which a boat comes up, three turns each, and others between them."""
    folder = tmp_path / "transcripts"
    folder.mkdir()
    parts = [
        "The hull of my boat is oak.",
        "My boat got its mast from Nora.",
        "I painted my boat red.",
        "I sold my boat to Omar.",
    ]
    for month, part in enumerate(parts, 1):
        said = [part, f"My boat is on my mind in {month}, the boat, always the boat.", f"So much about the boat of {month}."]
        lines = [{"type": "session", "id": f"b{month}", "time": f"2025-{month:02}-05T09:00:00+00:00"}]
        lines += [
            {"id": f"b{month}:{row}", "speaker": "user", "text": text, "time": f"2025-{month:02}-05T09:0{row}:00+00:00"}
            for row, text in enumerate(said)
        ]
        (folder / f"b{month}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    written_by_hand(memory, {f"Plant {row}": f"The plant in row {row} needs water and light." for row in range(12)})
    memory.maintenance.capture((str(folder),), mine=False)
    return memory


def test_order_over_time(boat):
    """Who asks in which order things were is told what was found in the order of time."""
    asked = "In which order did I bring up the parts of my boat in our conversations?"
    found = boat.recall.ask(Query(asked))
    assert found.by_time
    told = boat.recall.bundle(Query(asked, limit=12)).text
    days = re.findall(r"2025-0[1-4]-05", told)
    assert len(set(days)) >= 3 and days == sorted(days)


def test_a_list_comes_from_more_conversations(boat):
    """A list is answered from each conversation before one is told twice over."""
    found = boat.recall.ask(Query("Which things of my boat?", limit=4, gated=False))
    assert len({hit.item.key for hit in found.hits}) >= 3


def test_standing_instruction_by_its_condition(memory):
    """What is to be done whenever something is asked is told to a prompt that asks it, though it says little of it."""
    written_by_hand(
        memory, {f"Soup {row}": f"A recipe for soup number {row} needs water, salt and lentils." for row in range(12)}
    )
    memory.notes.save("preference", "Grams", "Always give amounts in grams when I ask about a recipe.")
    found = memory.recall.ask(Query("Give me a recipe for a rhubarb pie.", limit=3, gated=False))
    assert "Grams" in [hit.item.title for hit in found.hits]
