"""Ways of asking for what was said, by the command line: as a question, as an order to be told, and in French."""

import json

import pytest

SAID = {
    "one": ("La coque de mon bateau est en chêne.", "Quelle voile faut-il à mon bateau ?"),
    "two": ("Nora a donné un mât à mon bateau.", "Ajoute une page sur la quille de mon bateau."),
    "three": ("J'ai peint mon bateau en rouge.", "Parfait, continue."),
}


@pytest.fixture
def boat(vade, tmp_path):
    """Three conversations about a boat, each with something that states nothing."""
    vade("init", str(tmp_path / "Notes"))
    for day, (name, said) in enumerate(SAID.items(), 1):
        rows = [{"type": "session", "id": name, "time": f"2026-03-0{day}T09:00:00+00:00"}]
        rows += [{"id": f"{name}{n}", "speaker": "user", "text": text} for n, text in enumerate(said)]
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        vade("capture", str(tmp_path / f"{name}.jsonl"))
    return vade


def test_in_which_order(boat):
    """Who asks in which order things were is answered in time order."""
    found = json.loads(boat("recall", "Dans quel ordre ai-je parlé de mon bateau ?", "--json")[1])
    assert found["by_time"]
    told = boat("bundle", "Dans quel ordre ai-je parlé de mon bateau ?")[1]
    places = [told.index(word) for word in ("coque", "mât", "peint")]
    assert places == sorted(places)


@pytest.mark.parametrize(
    ("question", "word"),
    [("De quelle voile mon bateau a-t-il besoin ?", "voile"), ("Où est la quille de mon bateau ?", "quille")],
)
def test_questions_and_orders_answer_nothing(boat, question, word):
    """What the person once asked or ordered in French is not told as if it were an answer."""
    found = json.loads(boat("recall", question, "--json")[1])
    assert not [hit for hit in found["hits"] if word in hit["passage"]["text"]]


@pytest.mark.parametrize(
    ("prompt", "told"),
    [
        ("Tell me about the mast of my bateau", True),
        ("Can you tell me what Nora gave my bateau?", True),
        ("Résume ce que Nora a donné à mon bateau", True),
        ("Push the mast of the bateau to main", False),
        ("Corrige le mât du bateau de Nora", False),
    ],
)
def test_an_order_to_be_told_is_a_question(boat, prompt, told):
    """Who orders to be told something is answered from conversations; who orders work is not."""
    assert ('said: "Nora a donné' in boat("bundle", prompt)[1]) == told
