"""Typed edges between memories and to what lies outside."""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from vademecum.domain.uris import is_external, parse_uri
from vademecum.vault.markup import mentions


def told_of(memory, ref, **more):
    return [(link.direction, link.type, link.title or link.target, link.state) for link in memory.notes.links(ref, **more)]


def test_links_of_a_memory(memory):
    """VO-06: a memory is linked with memories by type and with URIs; what names nothing any more is said to be stale, not dropped."""
    base = memory.notes.save("fact", "Importer", "It reads CSV.").memory
    more = memory.notes.save("fact", "Nightly", "See https://example.org/spec, please, and [[No such note]].").memory
    memory.notes.link(more.id, "refines", base.id)
    memory.notes.link(more.id, "related", "https://example.org/plan")

    def check():
        assert told_of(memory, more.id) == [
            ("out", "refines", "Importer", "known"),
            ("out", "related", "https://example.org/plan", "outside"),
            ("out", "links", "No such note", "stale"),
            ("out", "mentions", "https://example.org/spec", "outside"),
        ]
        assert told_of(memory, base.id) == [("in", "refines", "Nightly", "known")]
        assert told_of(memory, more.id, type=("refines",)) == [("out", "refines", "Importer", "known")]

    check()
    memory.maintenance.rebuild()
    check()


def test_hops(memory):
    """VO-26: the walk goes up to three hops, never back, and stops at its limit."""
    sides = ("left", "right", "above", "below", "behind")
    ids = [memory.notes.save("fact", f"Stone {n}", f"It is {side} of the door.").memory.id for n, side in enumerate(sides)]
    for one, other in itertools.pairwise(ids):
        memory.notes.link(one, "related", other)
    assert [link.hop for link in memory.notes.links(ids[0], hops=3)] == [1, 2, 3]
    assert [link.title for link in memory.notes.links(ids[0], hops=3)] == ["Stone 1", "Stone 2", "Stone 3"]
    assert len(memory.notes.links(ids[2], hops=3, limit=2)) == 2


def test_uris():
    """VO-08: every scheme is known; what is none is kept as it stands."""
    kinds = {
        "fact:42": ("memory", "42"), "memory://01X": ("memory", "01X"), "session://codex/7": ("session", "codex/7"),
        "episode://3": ("episode", "3"), "entity://Ada": ("entity", "Ada"), "thread://t1": ("thread", "t1"),
        "vault://Notes/X.md": ("vault", "Notes/X.md"), "file:///etc/hosts": ("file", "/etc/hosts"),
        "https://example.org/a?b#c": ("web", "example.org/a?b#c"), "cloud://drive/1": ("cloud", "drive/1"),
        "mailto:a@b.c": ("unknown", "mailto:a@b.c"), "just words": ("unknown", "just words"), "https://": ("unknown", "https://"),
    }  # fmt: skip
    assert {text: (parse_uri(text).kind, parse_uri(text).name) for text in kinds} == kinds


@given(st.text())
def test_uri_never_raises(text):
    """VO-08: any text can be parsed, and parsing what came back gives the same."""
    once = parse_uri(text)
    assert parse_uri(once.text) == once
    assert isinstance(is_external(text), bool)
    assert isinstance(mentions(text), tuple)


def test_mentions():
    """VO-09: notes, links and bare addresses are mentions; mail, headings and queries are not, nor is what stands in code."""
    text = (
        "See [[Plan]] and [[Docs/Spec.md|the spec]], [site](https://example.org/a_(b)), (https://example.org/c).\n"
        "[top](#top) [mail](mailto:x@y.z) [q](?a=1) [note](Other%20note.md#part) memory://01ABC, file:///tmp/a.txt.\n"
        "`https://example.org/code`\n"
    )
    assert set(mentions(text)) == {
        "vault://Plan.md", "vault://Docs/Spec.md", "https://example.org/a_(b)", "https://example.org/c", "vault://Other note.md",
        "memory://01ABC", "file:///tmp/a.txt",
    }  # fmt: skip
