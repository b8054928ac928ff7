"""What is somebody else's in a message: quoted at length, handed over, or played."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vademecum.domain.session import Candidate, Session, Turn
from vademecum.extract.mine import mine
from vademecum.language.quotations import quotations
from vademecum.language.sentences import sentences


def said(*texts: str) -> list[Candidate]:
    turns = tuple(Turn(f"t{number}", "user", text) for number, text in enumerate(texts))
    return list(mine(Session("plain", "s1", "/s1.jsonl", turns)))


def quoted(text: str) -> list[str]:
    return [text[start:end] for start, end in quotations(text)]


@pytest.mark.parametrize(
    "marks",
    ["''", '""', "“”", "„“", "„”", "«»", "»«", "‘’", "‚‘", "‹›", "「」", "『』"],
    ids=lambda marks: f"{ord(marks[0]):x}",
)
def test_over_sentences_and_lines(marks):
    """Every sort of mark, closed three sentences and a line further on; what stands around it is said."""
    inside = f"{marks[0]}I never eat meat. I don't drink either.\nI live in the north.{marks[1]}"
    text = f"She wrote {inside} and I laughed."
    assert quoted(text) == [inside]
    (sentence,) = sentences(text)
    assert sentence.said == "She wrote and I laughed."


@pytest.mark.parametrize(
    "text",
    [
        "Call me 'Captain'.",
        "The word 'foo' is taken, and 'bar baz' too.",
        "I don't eat meat and I won't start, it's the dogs' bowl and the cats' bed.",
        "Je n'aime pas l'eau, j'habite à l'île d'Yeu.",
        "I like the '90s and rock 'n' roll, 'cause that's when I grew up, till the kids' birth.",
        "Ich hab 'ne Katze und 'nen Hund, das war's.",
        'A 5\' board and a 6" nail and a 7" saw.',
        "Set name='a' and other='b'.",
        'Rename "old" to "new".',
        "He said 'I never finish my",
    ],
)
def test_not_a_quotation(text):
    """Apostrophes, measures, names and words that are talked about."""
    assert quoted(text) == []


def test_possessive_within():
    text = "'I only clean the dogs' bowl on Sundays. I prefer cats.' is what he wrote"
    assert quoted(text) == ["'I only clean the dogs' bowl on Sundays. I prefer cats.'"]


@given(st.text(alphabet="ab s.'\"“”„«»「」‘’\n", max_size=80))
def test_in_order(text):
    """Spans never overlap, begin and end with a mark, and sentences keep their places."""
    spans = list(quotations(text))
    assert all(before[1] <= after[0] for before, after in pairwise(spans))
    assert all(text[end - 1] in "'\"”“«»」’‘" for _, end in spans)
    for sentence in sentences(text):
        assert sentence.said.split()[0] in text[sentence.start : sentence.end]


def test_many_marks_are_quick():
    """Unmatched marks do not make it slow: a page of them is read at once."""
    assert quoted(" 'a" * 5000) == []
    assert len(list(sentences("'dogs' a" * 2000))) < 10


@pytest.mark.parametrize(
    "text",
    [
        "Please fix the English in this ad of a friend: I never smoke. I prefer quiet houses and I always pay early.",
        "Can you reply to this for me:\n\nI always cook at six. I've decided to sell the car.",
        "What does this commit do\n\nfeat: never use cookies again\n\nWe decided that all sessions live in the database.",
        "Verbesser bitte den Text: Ich esse nie Fleisch. Ich wohne grundsätzlich nur im Erdgeschoss.",
        "Was bedeutet diese Klausel\n\nWir haben beschlossen, dass ab jetzt immer die Mieter zahlen.",
        "Revisa este texto da minha tia: Eu nunca como carne. Prefiro sempre casas com jardim.",
        "O que diz esse contrato\n\nDecidimos que a partir de agora nunca se paga em dinheiro.",
        "Revisá la redacción de mi primo: Nunca como carne. Prefiero siempre casas con jardín.",
        "Qué hace este commit\n\nDecidimos que desde ahora nunca usamos cookies.",
        "校对这段：我从不吃肉。我一向喜欢安静的房子，以后只住一楼。",
        "看下这段日志\n\n我们决定以后永远不用缓存",
        "Me manda um bilhete assim: 'Eu nunca como carne. Prefiro casas com jardim.'",
        "Put this on the door: “We never open on Mondays. We prefer cash from now on.”",
        "Schreib ans Brett: „Wir öffnen nie am Montag. Wir nehmen ab jetzt nur bar.“",
    ],
)
def test_handed_over(text):
    assert said(text) == []


@pytest.mark.parametrize(
    "opening",
    [
        "You're a baker in Rome, I'm a thief.",
        "Let's do a scene in a harbour.",
        "Write a story with me, I begin.",
        "Schreib mit mir einen Roman.",
        "Du bist ein Zöllner, ich bin ein Schmuggler.",
        "Escreve comigo um conto policial.",
        "Tú eres un pirata, yo soy un juez.",
        "和我一起编个故事吧",
    ],
)
def test_played(opening):
    """From the opening of a scene on nobody speaks for themselves, in later messages neither."""
    assert said(opening, "I live in a cave and I never pay taxes. I prefer gold from now on.") == []


@pytest.mark.parametrize(
    "text",
    [
        "In this file please always wrap, I mean only here, tabs and never spaces.",
        "In dieser Datei bitte Tabs, nur hier.",
        "Nesse template usa aspas duplas.",
        "En este archivo usa comillas simples.",
        "这个文件里用制表符",
    ],
)
def test_scoped_to_one_thing(text):
    """What is asked of one file, template or page ends with it."""
    assert [one for one in said(text) if one.confidence == "high"] == []


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("You're right, I'm a nurse and I work nights.", "nurse"),
        ("Please fix the spelling.\nAnd from now on I want British English in everything.", ""),
        ("I prefer 'tabs' to 'spaces' in every project.", "tabs"),
        ("We decided to call the release 'Maple' and never rename it.", "Maple"),
        ("Ich bevorzuge 'du' statt 'Sie' in allen Texten.", "du"),
        ("This config is fine. We decided to keep SQLite for good.", "SQLite"),
    ],
)
def test_still_their_own(text, word):
    """Short quotations, compliments and mentions of a text leave the person their say."""
    found = said(text)
    assert not word or any(word in one.text for one in found)
