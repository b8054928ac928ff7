"""Outside of the memory folder nothing is written without the person's consent."""

import hashlib

import pytest

from vademecum.domain.errors import AlreadyExists, Conflict, InvalidInput, Refused
from vademecum.vault.consent import PREVIEW_MAX_CHARS, Consent
from vademecum.vault.files import etag_of


@pytest.fixture
def ideas(root):
    return root.parent / "Ideas.md"


def test_nobody_to_ask(vault, ideas):
    """MV-14: without a person to ask, the answer is no."""
    with pytest.raises(Refused, match="nobody could be asked"):
        vault.pages.write(ideas, "x", etag=None, rationale="a new idea")
    assert not ideas.exists()


def test_asked_with_a_preview(open_vault, ideas):
    """MV-14: the person sees target, the first 400 characters and the reason; a no is a no."""
    asked = []
    vault = open_vault(consent=Consent("interactive", lambda *question: asked.append(question) or False))
    with pytest.raises(Refused, match="the answer was no"):
        vault.pages.write(ideas, "x" * 1000, etag=None, rationale="a new idea")
    ((target, preview, rationale),) = asked
    assert (target, len(preview), rationale) == (str(ideas), PREVIEW_MAX_CHARS, "a new idea")
    assert not ideas.exists()


def test_allowed_and_undone(open_vault, ideas):
    """What was allowed is written with compare-and-swap, and can be undone."""
    vault = open_vault(consent=Consent("interactive", lambda *question: True))
    etag = vault.pages.write(ideas, "# Ideas\n", etag=None, rationale="new")
    with pytest.raises(AlreadyExists):
        vault.pages.write(ideas, "y", etag=None, rationale="new")
    vault.pages.write(ideas, "# Ideas\n\n## One\n", etag=etag, rationale="another")
    with pytest.raises(Conflict):
        vault.pages.write(ideas, "z", etag=etag, rationale="another")
    vault.history.undo()
    assert ideas.read_text() == "# Ideas\n"
    vault.history.undo()
    assert not ideas.exists()
    assert vault.reconcile().records == ()


@pytest.mark.parametrize("target", ["/etc/x.md", "{root}/personal/x.md", "{root}/../.obsidian/x.md", "{root}/../../x.md"])
def test_only_beside(open_vault, root, target):
    """X-27: consent is for notes beside the memory folder, not for any file."""
    vault = open_vault(consent=Consent("silent"))
    with pytest.raises(InvalidInput):
        vault.pages.write(target.format(root=root), "x", etag=None, rationale="x")


def test_documents_never_change(vault, draft, root):
    """X-48: no verb, scan or reading changes a byte of the person's own notes."""
    notes = {"Daily.md": b"---\ntags: [a,b]\n---\nText without end", "Deep/Note.md": b"\xef\xbb\xbfA\r\nB", "Bad.md": b"\xff"}
    for name, text in notes.items():
        (root.parent / name).parent.mkdir(exist_ok=True)
        (root.parent / name).write_bytes(text)
    before = _hashes(root)
    memory = vault.save(draft(body="[[Daily]] #a\n"))
    vault.reconcile()
    for source in vault.scan().files:
        vault.open(source)
    vault.evolve(memory.id, "x", "y")
    vault.history.undo()
    vault.archive(memory.id)
    assert len(before) == len(notes)
    assert _hashes(root) == before


def _hashes(root):
    files = [path for path in root.parent.rglob("*.md") if not path.is_relative_to(root)]
    return {path: (hashlib.sha256(path.read_bytes()).digest(), path.stat().st_mtime_ns) for path in files}


def test_etag_names_bytes():
    """Equal bytes have equal etags, others do not."""
    assert etag_of(b"a") == etag_of(b"a") != etag_of(b"a\n")
