"""Where a memory's file stands, and which names are possible."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vademecum.domain.errors import InvalidInput
from vademecum.domain.kinds import KINDS
from vademecum.vault.change import Placing
from vademecum.vault.converge import Standing, in_the_way
from vademecum.vault.known import Known, KnownFiles
from vademecum.vault.places import (
    all_on_any_disk,
    archive_place,
    check_path,
    check_segment,
    check_tag,
    group_for,
    is_view,
    numbered,
    on_any_disk,
    original_place,
    place,
    said_by_path,
    slugify,
)  # fmt: skip

WHEN = datetime(2026, 7, 1, tzinfo=UTC)
texts = st.text(alphabet=st.characters(exclude_categories=("Cs",)), max_size=200)


@given(texts)
def test_any_title_gives_a_name(title):
    """X-27: whatever a title is, its slug is a portable file name, and stays itself."""
    slug = slugify(title)
    assert slugify(slug) == slug
    assert check_path(place(KINDS["fact"], slug))
    assert check_segment(f"{slug}.md.20260701-12.md")


@pytest.mark.parametrize(
    ("title", "slug"),
    [
        ("Use RRF (k = 60)!", "use-rrf-k-60"), ("Größe über alles", "größe-über-alles"), ("数据库 选择", "数据库-选择"),
        ("it's", "its"), ("CON", "con-memory"), ("🎉", "untitled"), ("", "untitled"), ("../../etc/passwd", "etc-passwd"),
        ("สวัสดี", "สวัสดี"), ("a" * 300, "a" * 80),
    ],
)  # fmt: skip
def test_slugs(title, slug):
    """Letters of every script stay; nothing is transliterated."""
    assert slugify(title) == slug


@pytest.mark.parametrize(
    "path",
    [
        "../x.md", "/etc/x.md", "a//b.md", "a/../b.md", "a/./b.md", "a\\b.md", "C:/x.md", "a/con.md", "a/NUL.txt.md", "a/x.txt",
        ".hidden/x.md", "a/x\n.md", "a/x\x00.md", "a/ x.md", "a /x.md", "a./x.md",
        "x" * 300 + ".md", "", "a/\u202ex.md", "a/\ud800.md",
    ],
)  # fmt: skip
def test_impossible_paths(path):
    """X-27: a path that leads elsewhere, or that some system cannot have, is refused."""
    with pytest.raises(InvalidInput):
        check_path(path)


def test_no_way_out(vault, draft, root, tmp_path):
    """X-27: neither group, slug, path nor a link leads a write out of the memory folder."""
    (tmp_path / "elsewhere").mkdir()
    (root / "personal").mkdir()
    (root / "personal" / "fact").symlink_to(tmp_path / "elsewhere")
    refused = [
        lambda: vault.save(draft()), lambda: vault.save(draft(), slug="../x"),
        lambda: vault.place_together("move", [Placing(vault.save(draft(kind="lesson"), unique=True).id, {}, "../x.md")]),
        lambda: vault.save(draft(properties={"agent": "../../etc"})),
    ]  # fmt: skip
    for attempt in refused:
        with pytest.raises(InvalidInput):
            attempt()
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_linked_file_is_not_written(vault, draft, root, tmp_path):
    """X-27: a memory's file that is a link is read but never written through."""
    memory = vault.save(draft())
    (root / memory.path).rename(tmp_path / "real.md")
    (root / memory.path).symlink_to(tmp_path / "real.md")
    with pytest.raises(InvalidInput):
        vault.edit(memory.path, body="x")
    assert "Descale" in (tmp_path / "real.md").read_text()


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("personal/fact/x.md", ("fact", "active", "personal", False)),
        ("projects/tea/decision/x.md", ("decision", "active", "projects/tea", False)),
        ("agents/rob/_always-load/x.md", ("", "active", "agents/rob", True)),
        ("_inbox/x.md", ("", "inbox", "", False)),
        ("_idea-incubator/x.md", ("idea", "incubating", "", False)),
        ("_idea-incubator/x/_index.md", ("idea", "incubating", "", False)),
        ("_idea-incubator/x/found.md", ("source", "incubating", "", False)),
        ("wiki/modules/x.md", ("module", "active", "", False)),
        ("decision/x.md", ("decision", "active", "", False)),
        ("_archive/personal/fact/x.md.20260701-2.md", ("fact", "archived", "personal", False)),
        ("my own/x.md", ("", "active", "", False)),
    ],
)
def test_paths_tell(path, said):
    """What a folder says is understood for a note that says nothing itself."""
    assert said_by_path(path) == said


def test_placement():
    """MV-05: kind, scope and status decide; always-load and waiting memories stand apart."""
    fact, module = KINDS["fact"], KINDS["module"]
    assert place(fact, "x", always_load=True) == "personal/_always-load/x.md"
    assert place(fact, "x", status="inbox") == "_inbox/x.md"
    assert place(fact, "x", status="incubating") == "_idea-incubator/x/_index.md"
    assert place(module, "x") == "wiki/modules/x.md"
    assert place(fact, "x", group="") == "fact/x.md"
    assert group_for(fact, project="Tea Time") == "projects/tea-time"
    assert group_for(fact, agent="Rob", project="t") == "agents/rob"
    assert group_for(KINDS["skill"], project="") == "skills"
    assert group_for(KINDS["decision"], project="", own_space=True) == ""


def test_archive_names():
    """MV-07: an archived file's name holds its old path and the date, and leads back."""
    path = archive_place("personal/fix/wal.md", WHEN)
    assert path == "_archive/personal/fix/wal.md.20260701.md"
    assert archive_place("a.md", WHEN, 2) == "_archive/a.md.20260701-2.md"
    assert original_place(path) == "personal/fix/wal.md"
    assert original_place("personal/fix/wal.md") is None
    assert [numbered("a/b.md", number) for number in (1, 2)] == ["a/b.md", "a/b-2.md"]


def test_views():
    """Generated pages are known by name and place."""
    assert [is_view(path) for path in ("MEMORY.md", "decisions.md", "_views/x.md", "a/MEMORY.md", "mine.md")] == [
        True, True, True, False, False,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("tag", "good"),
    [("#tea-time", 1), ("home/kitchen", 1), ("日本", 1), ("v2", 1), ("12", 0), ("a b", 0), ("", 0), ("a//b", 0)],
)
def test_tag_names(tag, good):
    """X-05: a tag is what Obsidian takes for one, hyphens and levels included."""
    if good:
        assert check_tag(tag) == tag.removeprefix("#")
    else:
        with pytest.raises(InvalidInput):
            check_tag(tag)


PATHS = st.sampled_from(["a/Tea.md", "a/tea.md", "a/Émile.md", "a/e\u0301mile.md", "b/ß.md", "b/SS.md", "c.md"])


@given(st.lists(PATHS))
def test_many_as_one_by_one(paths):
    assert all_on_any_disk(paths) == [on_any_disk(path) for path in paths]


PLACES = st.tuples(st.sampled_from("xy"), PATHS)


@given(
    st.dictionaries(st.sampled_from("1234"), PLACES),
    st.sets(PLACES),
    st.dictionaries(PLACES, st.sampled_from("1235")),
    st.data(),
)
def test_who_stands_where(known, there, claimed, data):
    """Only the places that are looked up are compared, and each answer is that of a table of all places."""
    files = KnownFiles.of({identity: Known(*place, "1:1") for identity, place in known.items()})
    standing = Standing(files, dict.fromkeys(there, "1:1"), claimed)
    table = {place: identity for identity, place in known.items() if place in there} | claimed
    assert {where: standing.at(where) for where in table} == table
    some = data.draw(st.sets(st.sampled_from("12345")))
    assert sorted(standing.places(some)) == sorted((place, entry) for place, entry in table.items() if entry in some)
    assert standing.not_where_known() == {entry for entry, place in known.items() if table.get(place, entry) != entry}
    told = data.draw(st.dictionaries(PLACES, st.sampled_from("123")))
    wanted = {(space, on_any_disk(path)): identity for (space, path), identity in told.items()}
    alike = {(space, path): entry for (space, path), entry in table.items() if (space, on_any_disk(path)) in wanted}
    assert standing.alike(wanted) == alike
    slow = {entry for (space, path), entry in alike.items() if wanted[space, on_any_disk(path)] != entry}
    assert in_the_way(told, standing) == slow
    away = data.draw(st.sets(PLACES))
    left = {place: entry for place, entry in table.items() if place not in away}
    assert sorted(standing.without(away).places("12345")) == sorted(left.items())
