"""A day's note is the person's: what they wrote stays byte for byte, and what we wrote is renewed only while it is ours."""

from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vademecum.domain.daily import Block
from vademecum.vault.daily import merged, rows_of, sessions_in, without
from vademecum.vault.frontmatter import read

DAY = date(2026, 3, 2)


def block(session="0a1b2c3d-1111", body="### Delivered\n\n- Moved it.", time="09:00", **more):
    return Block(f"session://plain/{session}", time, more.pop("title", "Move the shop"), body, {"title": "Move"}, **more)


def written(*blocks, note=None, sidecar=None):
    return merged(note, sidecar, DAY, blocks)


def test_new_note():
    """Flags, a title, and a block with the beginning of the session's id; the sidecar has a line."""
    note, sidecar = written(block())
    assert read(note).values() == {"date": "2026-03-02", "sessions_count": 1, "distilled": False, "has_coe": False}
    assert "\n\n## 09:00 | 0a1b2c3d | Move the shop\n\n### Delivered\n\n- Moved it.\n" in note
    assert [row["uri"] for row in rows_of(sidecar)] == ["session://plain/0a1b2c3d-1111"]


def test_nothing_new():
    note, sidecar = written(block())
    assert written(block(), note=note, sidecar=sidecar) == (note, sidecar)


def test_grown_session():
    """A session that grew has its block renewed in place, and what the person wrote around it stays."""
    note, sidecar = written(block(), block("9999aaaa", time="11:00"))
    note = note.replace("\n## 11:00", "\nMy own thought.\n\n## 11:00")
    note, sidecar = written(block(body="### Delivered\n\n- Moved it.\n- Tested it."), note=note, sidecar=sidecar)
    assert "- Tested it.\n\nMy own thought.\n\n## 11:00" in note
    assert sessions_in(note, sidecar) == 2


def test_in_order_of_time():
    note, sidecar = written(block("late", time="15:00"))
    note, _ = written(block("early", time="08:00"), note=note, sidecar=sidecar)
    assert note.index("## 08:00") < note.index("## 15:00")


@pytest.mark.parametrize("change", [
    lambda note: note.replace("Moved it.", "Moved it, at last."),
    lambda note: note.replace("- Moved it.\n", "- Moved it.\n- and I like it\n"),
    lambda note: note.replace("Move the shop", "The great move"),
    lambda note: note.replace("### Delivered\n", "### Delivered\n\nHm.\n"),
    lambda note: note[: note.index("## 09:00")],
], ids=["word", "line", "title", "inside", "taken out"])  # fmt: skip
def test_edited_block_stays(change):
    """X-29: a block is known by its session's id. One that the person edited or took out is never written again."""
    note, sidecar = written(block(), block("9999aaaa", time="08:00"))
    theirs = change(note)
    assert theirs != note
    again, sidecar = written(block(body="### Delivered\n\n- More."), note=theirs, sidecar=sidecar)
    assert again == theirs
    assert written(block(body="- Even more."), note=again, sidecar=sidecar)[0] == theirs


def test_edit_taken_back():
    """A block that says again what we wrote is ours again."""
    note, sidecar = written(block())
    _, sidecar = written(block(body="- New."), note=note.replace("Moved", "Shifted"), sidecar=sidecar)
    assert "- New." in written(block(body="- New."), note=note, sidecar=sidecar)[0]


def test_x29_equal_blocks():
    """X-29: two sessions that say the same are two blocks; renewing one leaves the other."""
    note, sidecar = written(block("aaaa1111"), block("bbbb2222"))
    note, _ = written(block("bbbb2222", body="- Other."), note=note, sidecar=sidecar)
    assert note.count("- Moved it.") == 1 and "| aaaa1111 | Move the shop\n\n### Delivered\n\n- Moved it." in note


def test_same_beginning():
    """Sessions whose ids begin alike have keys of their own."""
    _, sidecar = written(block("019ed1e2-c216-0000aaaa"), block("019ed1e2-d000-0000bbbb"))
    assert [row["key"] for row in rows_of(sidecar)] == ["019ed1e2", "0000bbbb"]


def test_windows_lines():
    """A note that an editor gave other line ends keeps them, and is still ours."""
    note, sidecar = written(block())
    note = note.replace("\n", "\r\n")
    again, _ = written(block(body="- New.\n- Lines."), note=note, sidecar=sidecar)
    assert "- New.\r\n- Lines.\r\n" in again and "\n" not in again.replace("\r\n", "")


def test_heading_in_code():
    """A heading within a fence is no block."""
    note = "```\n## 09:00 | 0a1b2c3d | quoted\n```\n"
    again, _ = written(block(), note=note)
    assert again.startswith(note) and again.count("## 09:00") == 2


def test_sidecar_lost():
    """Without its sidecar a note is all the person's: nothing is doubled, nothing renewed but what is word for word ours."""
    note, _ = written(block(), block("9999aaaa", time="10:00", body="- Other."))
    again, sidecar = written(block(), block("9999aaaa", time="10:00", body="- Grown."), note=note)
    assert again == note
    again, _ = written(block(body="- New."), block("9999aaaa", time="10:00", body="- Grown."), note=note, sidecar=sidecar)
    assert "- New." in again and "- Other." in again and "- Grown." not in again


def test_foreign_sidecar_lines():
    """Lines of a sidecar that we did not write stay as they are."""
    foreign = '{"mine": 1}\nnot json\n\n[1]'
    _, sidecar = written(block(), sidecar=foreign)
    assert sidecar.startswith(foreign + "\n") and len(rows_of(sidecar)) == 1


def test_flags():
    """An incident raises its flag once; flags that the person changed or took out stay so, and `distilled` is theirs."""
    note, sidecar = written(block(incident=True))
    assert read(note).values()["has_coe"] is True
    note = note.replace("has_coe: true", "has_coe: false").replace("distilled: false", "distilled: true")
    note = note.replace("sessions_count: 1", "sessions_count: some")
    sidecar = sidecar.replace('"title"', '"coe_signal": true, "title"', 1)
    again, _ = written(block(incident=True, body="- More."), block("x" * 9, time="10:00"), note=note, sidecar=sidecar)
    assert read(again).values() == {"date": "2026-03-02", "sessions_count": "some", "distilled": True, "has_coe": False}


def test_broken_frontmatter():
    """A frontmatter that cannot be edited safely is left alone."""
    head = "---\n- a list\n---\n"
    assert written(block(), note=head + "Text\n")[0].startswith(head + "Text\n\n## ")


def test_forgotten_session():
    """What the person wrote behind a block of ours stays when its session is forgotten."""
    note, sidecar = written(block(), block("9999aaaa", time="10:00"))
    note = note.replace("\n## 10:00", "\nMy thought.\n\n## 10:00")
    left, rows = without(note, sidecar, {"session://plain/0a1b2c3d-1111"})
    assert "0a1b2c3d" not in left + rows and "My thought." in left and "9999aaaa" in left
    copy, _ = without(note, "", {"session://plain/0a1b2c3d-1111"})
    assert "0a1b2c3d" not in copy and "9999aaaa" in copy, "a conflict copy has no sidecar"


SESSIONS = ("0a1b2c3d-1111", "0a1b2c3d-2222", "session-x")
OWN = st.text(alphabet=st.sampled_from("ab #-|\n`~%>\r\u2028é1:"), min_size=1, max_size=40)


@st.composite
def edits(draw):
    """What happens to a note: a session grows, or the person inserts text somewhere."""
    if draw(st.booleans()):
        return ("session", draw(st.sampled_from(SESSIONS)), draw(st.integers(1, 4)))
    return ("person", draw(st.floats(0, 1)), f"«{draw(OWN)}»")


@given(st.lists(edits(), max_size=12))
@settings(max_examples=300, deadline=None)
def test_person_loses_nothing(happened):
    """Whatever the person types anywhere, in whatever order sessions grow: every byte of it is there, once."""
    note = sidecar = None
    typed = []
    for what, where, how in happened:
        if what == "session":
            body = "### Delivered\n\n" + "\n".join(f"- line {number}" for number in range(how))
            added = block(where, body, time=f"0{SESSIONS.index(where)}:00")
            note, sidecar = written(added, note=note, sidecar=sidecar)
            again = written(added, note=note, sidecar=sidecar)
            assert again == (note, sidecar)
        else:
            at = int((len(note or "")) * where)
            text = f"«{len(typed)};{how[1:]}"
            if any((note or "").find(one) < at < (note or "").find(one) + len(one) for one in typed):
                continue  # typed into what was typed before: that is another text then
            note = (note or "")[:at] + text + (note or "")[at:]
            typed.append(text)
        assert all((note or "").count(one) == 1 for one in typed)
        rows = rows_of(sidecar or "")
        assert len({row["key"] for row in rows}) == len(rows)
