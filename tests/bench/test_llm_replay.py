"""Recorded answers are given to the conversation they belong to, with its words filled in and relations to what is shown today."""

import json
import logging

import pytest

from vademecum.adapters.llms import Options, create
from vademecum.domain.errors import LLMRefused, LLMUnavailable
from vademecum.domain.llm import Prompt
from vademecum_bench.real.replay import Changed, Record, change_since, key_of, known_in, messages_in

_TEXT = {"type": "string"}
FACT = {"type": "object", "properties": {"text": _TEXT, "quote": _TEXT, "relation": _TEXT, "target": _TEXT}}
SCHEMA = {"type": "object", "properties": {"facts": {"type": "array", "items": FACT}}, "required": ["facts"]}
SAID = ("user: The kiosk opens at seven.\nOnly on Mondays.", "agent: Noted: [3] is not a message.")


def prompt(*known, said=SAID, name="memories", before="nothing"):
    conversation = "\n".join(f"[{number}] {text}" for number, text in enumerate(said, 1))
    memories = "\n".join(f"m{number} (fact): {text}" for number, text in enumerate(known, 1)) or "none"
    material = (
        f"<before>\n{before}\n</before>",
        f"<known_memories>\n{memories}\n</known_memories>",
        f"<conversation>\n{conversation}\n</conversation>",
    )
    return Prompt(name, "Find facts.", material, SCHEMA)


def fact(place, relation="new", target=""):
    return {"text": "It opens early.", "quote": {"said": place}, "relation": relation, "target": target}


@pytest.fixture
def recording(tmp_path):
    """Writes records of (prompt, facts); gives the model that answers from them."""
    file = tmp_path / "recorded.jsonl"

    def write(*rows):
        records = [
            {"prompt": asked.name, "key": key_of(asked), "known": known_in(asked), "answer": {"facts": list(facts)}}
            for asked, facts in rows
        ]
        file.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
        return create(f"replay:{file}", Options())

    return write


def test_parts():
    """Messages and known memories are told apart by their marks, which count; what else looks like one is text."""
    assert messages_in(prompt()) == (" " + SAID[0], " " + SAID[1])
    assert list(known_in(prompt("Tea is green.", "Mint grows."))) == ["m1", "m2"]
    assert known_in(prompt()) == {}


def test_words_filled_in(recording):
    """The quotation is taken from the conversation as it stands in the prompt; words that nobody said stay empty."""
    start = messages_in(prompt())[0].index("Only")
    llm = recording((prompt(), [fact([1, start, start + 15]), fact(None), fact([9, 0, 4]), fact([2, 1, 6, 8, 13])]))
    answer = llm.ask(prompt())
    assert [one["quote"] for one in answer.value["facts"]] == ["Only on Mondays", "", "", "agent … Noted"]
    assert answer.usage.input_tokens > 0 < answer.usage.output_tokens


def test_key():
    """What was known and said before does not belong to the key; the conversation and the prompt's name do."""
    assert key_of(prompt()) == key_of(prompt("Tea is green.", before="They spoke of tea."))
    assert key_of(prompt()) != key_of(prompt(said=("user: Tea.",)))
    two = [Prompt("relation", "Compare.", (f"<first>\n{text}\n</first>",), SCHEMA) for text in ("Tea.", "Mint.")]
    assert key_of(two[0]) != key_of(two[1])


@pytest.mark.parametrize("other", [prompt(said=("user: Tea.",)), prompt(name="memories/2")])
def test_miss(recording, other):
    """No answer: the error of a model that cannot be asked, with the key under which one is to be recorded."""
    llm = recording((prompt(), [fact(None)]))
    with pytest.raises(LLMUnavailable, match=f"{other.name} {key_of(other)}"):
        llm.ask(other)


def test_last_answer_counts(recording):
    llm = recording((prompt(), [fact([1, 0, 5])]), (prompt(), []))
    assert llm.ask(prompt()).value == {"facts": []}


def test_other_memories_shown(recording, caplog):
    """A relation goes to the memory that says the same today, in its words or others; to one that is gone it goes no more, which is
    told."""
    caplog.set_level(logging.INFO)
    then = prompt("Tea is green.", "Mint grows behind the wooden shed.", "It rains.")
    now = prompt("It rains.", "Behind the shed wild mint grows.", "New.")
    facts = [fact([1, 1, 5], "update", "m2"), fact([1, 1, 5], "extend", "m1"), fact([1, 1, 5], "extend", "m3")]
    llm = recording((then, facts))
    related = [(one["relation"], one["target"]) for one in llm.ask(now).value["facts"]]
    assert related == [("update", "m2"), ("new", ""), ("extend", "m1")]
    record = Record("memories", key_of(then), known_in(then), {"facts": facts})
    assert change_since(record, now) == Changed(gone=1, come=1, lost=1)
    assert change_since(record, then) == Changed(gone=0, come=0, lost=0)
    assert (
        f"{key_of(now)}: of the memories shown when it was recorded 1 are gone, 1 are new, 1 relations are lost" in caplog.text
    )


def test_no_recording(tmp_path):
    """A file that is not there, or holds something else, is the person's to mend."""
    for content in (None, "no record\n"):
        file = tmp_path / "recorded.jsonl"
        if content:
            file.write_text(content, encoding="utf-8")
        with pytest.raises(LLMRefused, match=r"recorded\.jsonl"):
            create(f"replay:{file}", Options()).ask(prompt())
