"""The wiki's log is folded: old lines move into pages of their own, and none is lost, whatever happens to them there."""

import re

import pytest

SAVED = 11


@pytest.fixture
def notes(tmp_path):
    return tmp_path / "notes"


@pytest.fixture
def wiki(vade, notes):
    """A wiki with eleven changes in its log: `wiki(*words)` gives what is printed."""

    def typed(*words):
        code, out, err = vade(*words)
        assert code == 0, err
        return out

    typed("init", str(notes), "--wiki")
    for number in range(SAVED):
        typed("save", "concept", f"Shelf {number}", "--body", f"Shelf {number} holds box {number}.")
    typed("sync", "--views")
    return typed


def entries(notes):
    """Lines about changes: in the log, and in the folds, oldest fold first; each as the log tells it."""
    log = told(notes / "wiki" / "log.md")
    folds = [told(page) for page in sorted((notes / "wiki" / "folds").glob("*.md"), key=lambda page: page.stem)]
    return log, folds


def told(page):
    return [re.sub(r" \^[0-9a-z]{26}$", "", line) for line in page.read_text().splitlines() if line.startswith("- [")]


def test_nothing_is_lost(wiki, notes):
    """HW-30: every line of the log stands once, in it or in a fold, word for word; so many that fill no page stay; twice is once."""
    before, none = entries(notes)
    assert len(before) == SAVED and none == []
    assert "4 changes would be folded into wiki/folds/fold-k2-from-" in wiki("fold", "--k", "2")
    assert entries(notes) == (before, []), "it only said what it would do"
    said = wiki("fold", "--k", "2", "--yes")
    assert re.findall(r"into (wiki/folds/fold-k2-from-\S+-n4(?:-2)?\.md)", said) and "3 changes stay in the log" in said
    log, folds = entries(notes)
    assert [len(fold) for fold in folds] == [4, 4] and len(log) == SAVED - 8
    assert sorted(before) == sorted([*log, *folds[0], *folds[1]])
    assert log == before[:3], "the newest stay"
    assert (notes / "wiki" / "log.md").read_text().count("- Folded: [[wiki/folds/") == 2
    assert wiki("fold", "--k", "2", "--yes").strip() == "3 changes stay in the log"
    wiki("sync", "--views")
    assert entries(notes) == (log, folds)


def test_after_a_fold(wiki, notes):
    """HW-30: a line that somebody changes in a fold waits as theirs and comes back into the log; a fold that is gone does too; what is
    forgotten or withheld meanwhile stands in none of them."""
    wiki("fold", "--k", "2", "--yes")
    first, second = sorted((notes / "wiki" / "folds").glob("*.md"), key=lambda page: page.stem)
    first.write_text(first.read_text().replace("| Shelf 0 (", "| Mine (", 1))
    wiki("sync", "--views")
    assert "| Mine (" in wiki("inbox") + "".join(page.read_text() for page in (notes / "_inbox").glob("*.md"))
    assert any("| Shelf 0 (" in line for line in entries(notes)[0])
    wiki("forget", "Shelf 1", "--yes")
    wiki("tag", "Shelf 2", "--add", "visibility/pii")
    second.unlink()
    wiki("sync", "--views")
    log, folds = entries(notes)
    everything = "\n".join([*log, *(line for fold in folds for line in fold)])
    assert not re.search(r"Shelf (1|2) \(", everything)
    assert {int(number) for number in re.findall(r"save \| Shelf (\d+) ", everything)} == {0, *range(3, SAVED)}


def test_no_wiki(vade, tmp_path):
    """Without a wiki there is nothing to fold, and it says how to begin one."""
    vade("init", str(tmp_path / "plain"))
    code, _, err = vade("fold")
    assert code == 9 and "vade init FOLDER --wiki" in err
