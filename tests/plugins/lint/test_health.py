"""What is proposed for the archive: a few at a time, by id, and nothing is done before the person says so."""

from datetime import UTC, datetime

import pytest
from msgspec.structs import replace
from tests.scripted_llm import Scripted

from vademecum.domain.errors import LLMUnavailable
from vademecum.entrypoints.verbs import verb_named
from vademecum.plugins.lint.propose import propose

LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)


@pytest.fixture
def memory(opened):
    return opened()


def expired(memory, count, kind="fact"):
    saved = [memory.notes.save(kind, f"{kind} of day {n}", f"On day {n} the {kind} held.") for n in range(count)]
    return [memory.notes.edit(one.memory.id, properties={"valid_until": LONG_AGO}).id for one in saved]


def asking(memory, reply):
    llm = Scripted([reply])
    memory.context = replace(memory.context, models=replace(memory.context.models, llm_name="scripted", open_llm=lambda: llm))
    return llm


def test_sw49_few_at_a_time(memory):
    """SW-49: at most five memories, three tasks and three skills; they are told, archived when asked, and one undo brings all back."""
    for kind in ("fact", "task", "procedure"):
        expired(memory, 7, kind)
    told = propose(memory.context)
    kinds = [one.kind for one in told.proposals]
    assert {kind: kinds.count(kind) for kind in kinds} == {"fact": 5, "task": 3, "procedure": 3}
    assert (told.left, told.archived) == (10, False)
    assert len(memory.notes.list(status=("active",))) == 21
    assert propose(memory.context, archive=True).archived
    assert len(memory.notes.list(status=("active",))) == 10
    memory.notes.undo()
    assert len(memory.notes.list(status=("active",))) == 21


def test_sw49_a_model_names_ids_and_nothing_else(memory):
    """SW-49: of a model's answer only ids that it was shown count; what is withheld, pinned or from outside is not shown."""
    plain = memory.notes.save("fact", "Kettle", "The kettle is blue.").memory
    secret = memory.notes.save("fact", "Safe", "The safe is green.", tags=("visibility/pii",)).memory
    pinned = memory.notes.save("fact", "Lamp", "The lamp is red.", pin=True).memory
    llm = asking(memory, {"archive": [plain.id, secret.id, pinned.id, "01JABCDEFGHJKMNPQRSTVWX999", "rm -rf"]})
    told = propose(memory.context, model=True)
    assert [one.title for one in told.proposals] == ["Kettle"]
    assert "kettle is blue" in llm.asked[0].text
    assert "safe" not in llm.asked[0].text
    assert "lamp" not in llm.asked[0].text
    assert memory.notes.get(plain.id).status == "active"


def test_sw49_no_word_of_a_model_is_told(memory):
    """SW-49: an answer of another form changes nothing and says so."""
    memory.notes.save("fact", "Kettle", "The kettle is blue.")
    asking(memory, {"delete": "everything"})
    with pytest.raises(LLMUnavailable):
        propose(memory.context, archive=True, model=True)
    assert len(memory.notes.list(status=("active",))) == 1


def test_sw49_is_the_persons_word():
    """SW-49: no agent may set memories aside this way."""
    assert not verb_named("lint --health").agents
