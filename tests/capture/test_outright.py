"""What is told outright in a few plain words is kept, in five languages; what only looks like it is not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vademecum.capture.mine import mine
from vademecum.capture.outright import OUTRIGHT
from vademecum.model.kinds import KINDS
from vademecum.model.session import Session, Turn

TOLD = """
en.identity.have|I have two kids.
en.identity.have|we have three older cats and a garden
en.identity.body|I'm allergic to peanuts.
en.identity.body|i am from Leeds
en.identity.diet|I don't eat pork.
en.identity.speak|I speak Polish and a little German
en.fact.whose|my sister lives in Leeds
en.fact.whose|My parrot is called Bruno.
en.fact.called|The staging bucket is called drafts.
en.fact.port|The API listens on port 8080.
en.fact.use|I use Neovim.
en.fact.we-indent|we use tabs
en.fact.we-do-on|We deploy on Tuesdays.
en.preference.answers|please keep your answers short
en.preference.no-emojis|don't use emojis
de.identity.have|Ich habe zwei Kinder.
de.identity.body|Ich bin gegen Nüsse allergisch.
de.identity.diet|ich esse kein Fleisch
de.identity.from|Ich komme aus Graz.
de.identity.speak|Ich spreche Türkisch und Deutsch
de.fact.called|Mein Hund heißt Bruno.
de.fact.port|Die API läuft auf Port 8080.
de.fact.use|wir nutzen Docker
de.fact.we-do-on|Wir deployen immer dienstags.
de.preference.answers|Antworte bitte immer kurz.
es.identity.have|Tengo dos hijos.
es.identity.body|Soy intolerante a la lactosa.
es.identity.diet|no como carne
es.identity.live|trabajo de enfermera en un hospital
es.identity.speak|Hablo catalán y español.
es.fact.called|Mi perro se llama Bruno.
es.fact.port|La API escucha en el puerto 8080.
es.fact.use|Usamos Postgres.
es.fact.we-do-on|desplegamos los martes
es.preference.prefer|Prefiero tabulaciones.
es.preference.answers|respóndeme siempre corto
pt.identity.have|Tenho dois filhos.
pt.identity.body|Sou intolerante à lactose.
pt.identity.diet|não bebo café
pt.identity.live|Moro no Porto.
pt.identity.speak|falo alemão e inglês
pt.fact.called|O meu cão chama-se Bruno.
pt.fact.port|A API escuta na porta 8080.
pt.fact.use|nós usamos Docker
pt.fact.we-do-on|ensaiamos às quintas
pt.preference.prefer|Prefiro tabelas.
pt.preference.answers|Responde sempre em poucas palavras.
zh.identity.have|我有两个孩子。
zh.identity.diet|我对花生过敏。
zh.identity.trade|我是护士。
zh.identity.live|我住在杭州。
zh.fact.called|我的狗叫豆豆。
zh.fact.port|API 监听 8080 端口。
zh.fact.we-do-on|我们周二发版。
zh.fact.use|我用 Neovim
zh.preference.answers|回答请简短一点。
"""

SAID = [tuple(line.split("|")) for line in TOLD.split("\n") if line]

#: Look like it, and pass.
PASSING = (
    "I have two tickets.", "i have two kids waiting in the car right now", "Do I have two kids?",
    "I use the second one", "No emojis in this tweet, please", "the server runs on port 3000 but I get a 502",
    "if I have two kids, what do I pay?", "She said: my dog is called Bruno", "My dog is barking", "we use this one",
    "Ich habe zwei Fragen.", "ich esse gerade kein Fleisch, nur diese Woche", "Der Dienst läuft auf Port 3000, aber ich bekomme 502",
    "Tengo dos dudas.", "prefiero este", "prefiero el segundo",
    "Tenho duas perguntas.", "prefiro assim", "我有两个问题。", "我有两个孩子吗？",
)  # fmt: skip


def taken(text):
    """What is mined of a conversation in which the person says this."""
    turns = [("user", "hello there"), ("agent", "Hello."), ("user", text), ("agent", "Noted.")]
    said = tuple(Turn(f"t{number}", role, words) for number, (role, words) in enumerate(turns))
    return mine(Session("plain", "one", "/one.jsonl", said, project="shop"))


@pytest.mark.parametrize(("name", "text"), SAID)
def test_told_outright(name, text):
    """X-23: each row takes what it is for, surely, however short it is."""
    (found,) = taken(text)
    assert (found.pattern, found.confidence) == (name, "high")
    assert text.rstrip(".。").casefold() in found.text.casefold()


def test_every_row_is_shown():
    """No row is without an example, and its kind is one that there is."""
    assert {pattern.name for pattern in OUTRIGHT} == {name for name, _ in SAID}
    assert {pattern.kind for pattern in OUTRIGHT} <= set(KINDS)


@pytest.mark.parametrize("text", PASSING)
def test_passing(text):
    """X-23: what holds for the moment, is asked, quoted or laughed about is not saved."""
    assert not [one for one in taken(text) if one.confidence == "high"]


def test_behind_a_greeting():
    """Several things in one breath are taken each by itself where a full stop parts them, and behind a greeting."""
    found = taken("Hi, I'm Tom. I have two kids. We deploy on Tuesdays.")
    assert {one.pattern for one in found} >= {"en.identity.have", "en.fact.we-do-on"}


@given(st.text(max_size=80))
def test_anything(text):
    """Whatever is said, no row breaks or takes more than it is shown."""
    for pattern in OUTRIGHT:
        match = pattern.regex.match(text)
        assert match is None or match.end() >= len(text.rstrip("\n")) - 1
