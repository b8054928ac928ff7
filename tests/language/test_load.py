"""Languages as folders: one more needs no line of Python, and what is wrong in a file is said with its place."""

import shutil

import pytest

from vademecum.guard.ask_rules import tongues_of
from vademecum.language.load import DATA, LanguageFault, Languages, languages
from vademecum.language.patterns import patterns_of


@pytest.fixture
def folder(tmp_path):
    """The languages of the package, and a made-up one beside them."""
    shutil.copytree(DATA, tmp_path / "data")
    (tmp_path / "data" / "xx").mkdir()
    write(tmp_path / "data", "language", 'name = "Made-up"\norder = 99\n')
    return tmp_path / "data"


def write(folder, file, text):
    (folder / "xx" / f"{file}.toml").write_text(text, encoding="utf-8")


def test_a_folder_is_a_language(folder):
    """A folder adds ways of deciding, signs of speech, stop-words and a way of asking, beside those of the others."""
    write(folder, "memories", "[[decisions]]\nname = 'decision.chosen'\npattern = '^zu wibu {name} (?P<what>.+)'\n")
    write(folder, "speech", "[passing]\nstart = ['kiu']\n")
    write(folder, "stop_words", "[stop]\nwords = ['lao']\n")
    write(folder, "asks", "[asking]\nlead = '(?:plu )?'\nown_page = 'wiki mi'\n[verbs]\nsend = ['sendu']\n")
    known = Languages(folder)
    assert known.codes == (*languages().codes, "xx")
    (new,) = (row for row in patterns_of(known) if row.language == "xx")
    assert (new.name, new.kind) == ("xx.decision.chosen", "decision")
    assert new.regex.match("Zu wibu Postgres por chio")["what"] == "por chio"
    assert known.sign("speech", "passing").search("kiu estas tio")
    assert not languages().sign("speech", "passing").search("kiu estas tio")
    assert {"lao", "the"} <= known.words("stop_words", "stop")
    (asking,) = (tongue for tongue in tongues_of(known) if tongue.name == "xx")
    assert asking.verb.match("sendu la liston").lastgroup == "send"
    assert len(patterns_of(known)) == len(patterns_of(languages())) + 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[[decisions]]\nname = 'decision.x'\n", "xx/memories.toml: [[decisions]] 1: "),
        ("[[decisions]]\nname = 'decision.x'\npattern = 'x'\nwhy = 1\n", "'why'"),
        ("[[decisions]]\nname = 'decision.x'\npattern = '{nowhere}'\n", "there is no part {nowhere}"),
        ("[[decisions]\n", "xx/memories.toml: "),
    ],
    ids=["a field is missing", "a field too many", "an unknown part", "no TOML"],
)
def test_what_is_wrong(folder, text, said):
    """A row that cannot be used is named by its file, its number and what is wrong with it."""
    write(folder, "memories", text)
    with pytest.raises(LanguageFault) as fault:
        patterns_of(Languages(folder))
    assert said in fault.value.message
    assert fault.value.hint


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[passing]\nwords = ['(never closed']\n", "xx/speech.toml: [passing]: "),
        ("[passing]\nsomewhere = ['x']\n", "[passing] somewhere: it must be one of start, words"),
    ],
)
def test_wrong_signs(folder, text, said):
    """The same of a sign, which is one regular expression made of all languages."""
    write(folder, "speech", text)
    with pytest.raises(LanguageFault) as fault:
        Languages(folder).sign("speech", "passing")
    assert said in fault.value.message


def test_unknown_sign():
    """A sign that no language has is a fault of ours, and said."""
    with pytest.raises(LanguageFault, match="nosuch"):
        languages().sign("speech", "nosuch")
