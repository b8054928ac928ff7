"""What says nothing about a subject, in the languages that have data."""

import pytest

from vademecum.language.load import languages
from vademecum.language.text import common_words, is_courtesy


@pytest.mark.parametrize(
    "text",
    [
        "yes", "Thanks, good for today!", "that's all for now, bye", "great job", "Danke, das war's für heute, bis morgen",
        "gracias, eso es todo por hoy", "merci, c'est tout pour aujourd'hui", "obrigado, até amanhã", "谢谢，今天就到这里",
    ],
)  # fmt: skip
def test_courtesies(text):
    """Thanks, yes and good-bye are courtesies, also several of them at once."""
    assert is_courtesy(text)


@pytest.mark.parametrize(
    "text",
    [
        "thanks, use port 5433",
        "see you tomorrow at the office",
        "looks good, commit it",
        "is that all for the deploy script?",
        "what is it?",
    ],
)
def test_more_than_a_courtesy(text):
    """Whatever names a thing besides, or asks something, is more than a courtesy."""
    assert not is_courtesy(text)


@pytest.mark.parametrize(
    ("text", "common", "telling"),
    [
        ("Where is the key to the shed?", {"where", "is", "the", "to"}, {"key", "shed"}),
        ("Wo ist der Schlüssel zu dem Schuppen?", {"wo", "ist", "der", "zu", "dem"}, {"schlüssel", "schuppen", "on", "the"}),
        ("¿Dónde está la llave de la caseta?", {"dónde", "está", "la", "de"}, {"llave", "caseta", "the"}),
        ("Où est la clé de la cabane?", {"où", "est", "la", "de"}, {"clé", "cabane", "the"}),
        ("Onde está a chave do barracão?", {"onde", "está", "a", "do"}, {"chave", "barracão", "the"}),
    ],
)
def test_common_words_are_of_the_texts_own_language(text, common, telling):
    """What says nothing is judged by the language that a text is in; words of another language stay."""
    found = common_words(text)
    assert common <= found
    assert not telling & found


@pytest.mark.parametrize(
    ("code", "named", "not_named"),
    [
        ("en", "We moved in on a Tuesday.", "Der Dienstag war kalt."),
        ("de", "Eingezogen sind wir am Dienstag.", "Der Server steht in der March."),
        ("es", "Nos mudamos el martes.", "Vive en Tuesday."),
        ("fr", "Nous avons emménagé mardi.", "Le serveur est en marche."),
        ("pt", "Mudámos na terça-feira.", "O servidor fica em Tuesday."),
        ("zh", "我们星期二搬进去的。", "服务器在柜子里。"),
        ("ru", "Мы переехали в 2024 году.", "Сервер стоит в шкафу."),
    ],
)
def test_times_are_named_in_the_texts_own_language(code, named, not_named):
    """Names of days and months count in their own language; a year in digits counts in each."""
    names = languages().sign_in(code, "questions", "names_time")
    assert names.search(named)
    assert not names.search(not_named)
