"""Generated pages: what they tell, and that nothing which somebody writes there is lost."""

import json
import re
import shutil

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from vademecum.domain.memory import By
from vademecum.vault.view_page import Added, Edited, Line, by_hand, mark_of, rendered, stamp_of, without_lines

FIXED = {"# Page", "## One"}
PAGE = rendered(["# Page", "", Line("Last change: today"), "", "## One", "", Line("- a line", "0" * 26)], "1" * 26)


def views(home):
    return home / "_views"


def change(home, name, old, new):
    page = views(home) / name
    text = page.read_text()
    assert old in text
    page.write_text(text.replace(old, new, 1))


def proposals(memory):
    return {one.memory.title: one.memory for one in memory.inbox.proposals()}


def test_by_hand():
    """A page tells by itself what was changed in it: nothing, an edited line, and lines that are not ours, under their heading."""
    assert by_hand(PAGE, FIXED) == ()
    assert by_hand(PAGE.replace("\n", "\r\n"), FIXED) == ()
    assert by_hand(PAGE, set()) == (), "words that an older version had are nobody's either"
    assert stamp_of(PAGE) == "1" * 26
    edited = Edited("0" * 26, mark_of("- a line"), "- a line too")
    assert by_hand(PAGE.replace("a line", "a line too"), FIXED) == (edited,)
    assert by_hand(PAGE.replace("## One\n", "## One\nmine\nand mine\n"), FIXED) == (Added("One", "mine\nand mine"),)
    kept = without_lines(PAGE.replace("## One\n", "## One\nmine\n"))
    assert "mine" in kept
    assert "a line" not in kept


def test_marks_are_at_the_end():
    """No line that a person reads has an id or a hash behind it: they are all in one comment at the end."""
    lines, _, comment = PAGE.partition("%%")
    assert "- a line\n" in lines and "0000" not in lines
    assert comment.rstrip().endswith("%%") and comment.count("0" * 26) == 1


def test_moved_and_edited():
    """A line that was moved is nobody's edit; one that was moved and edited is still known by its link."""
    first, second = Line("- **[[a/one|One]]** — first", "0" * 26), Line("- **[[a/two|Two]]** — second", "1" * 26)
    page = rendered(["# Page", "", first, second])
    moved = page.replace(f"{first.text}\n{second.text}", f"{second.text}\n{first.text}")
    assert moved != page and by_hand(moved, {"# Page"}) == ()
    edited = moved.replace("first", "third")
    assert by_hand(edited, {"# Page"}) == (Edited("0" * 26, mark_of(first.text), "- **[[a/one|One]]** — third"),)


def test_page_of_an_earlier_version():
    """A page with a mark behind each line, as earlier versions wrote it, is read as before."""
    line = "- a line"
    fixed = mark_of("# Page\n## One")
    page = f"# Page\n\n## One\n\n{line} %%{'0' * 26} {mark_of(line)}%%\n\n%%made of memories {fixed} {'1' * 26}%%\n"
    assert by_hand(page, FIXED) == () and stamp_of(page) == "1" * 26
    assert by_hand(page.replace("a line", "another"), FIXED) == (Edited("0" * 26, mark_of(line), "- another"),)


@pytest.fixture
def brain(memory):
    """A memory with one of each section, and their pages."""
    memory.notes.save("decision", "Use SQLite", "We use SQLite. See COE01.", project="shop", tags=("storage",))
    memory.notes.edit("Use SQLite", properties={"aliases": ["KD03"]})
    memory.notes.save("incident", "Lost orders", "Orders were lost\n\nin the night.")
    memory.notes.save("lesson", "Close the pool before forking", "Close the pool before forking.")
    memory.notes.save("task", "Ship it", "- [ ] examples", project="shop")
    memory.notes.save("preference", "Blood test", "My blood test is private.", tags=("visibility/pii",))
    memory.maintenance.views()
    return memory


def test_memory_page(brain, home):
    """SW-02, SW-29: the page has the index by key in two tiers and the sections, each entry with its key and link."""
    page = re.sub(r" %%[^%]*%%", "", (views(home) / "MEMORY.md").read_text())
    index = page.partition("<!-- MEMORY_INDEX_START -->\n")[2].partition("<!-- MEMORY_INDEX_END -->")[0]
    assert index.splitlines() == [
        "### Permanent",
        "- 2026-03-02 Lost orders",
        "- [KD03] 2026-03-02 Use SQLite | refs: COE01 | storage",
        "### Active",
        "- 2026-03-02 Close the pool before forking",
        "- 2026-03-02 Ship it",
    ]
    headings = [line[3:] for line in page.splitlines() if line.startswith("## ")]
    assert headings == ["Index", "COE Registry", "Key Decisions", "Lessons Learned", "Recent Context", "Open Threads"]
    assert "- [KD03] 2026-03-02 **[[projects/shop/decision/use-sqlite|Use SQLite]]** — We use SQLite. See COE01.\n" in page
    everything = "".join(file.read_text() for file in views(home).rglob("*.md"))
    assert "Blood test" not in everything, "what is withheld stands on no page"


def test_other_pages(brain, home):
    """HW-02, HW-03, HW-04: what is going on, one line a memory by kind, what was done, and a page for each project."""
    brain.notes.evolve("Use SQLite", "it grew", "We use Postgres.")
    brain.maintenance.views()
    pages = {file.relative_to(views(home)).as_posix(): file.read_text() for file in views(home).rglob("*.md")}
    assert set(pages) == {
        *("EVOLUTION.md", "MEMORY.md", "PROJECTS.md", "hot.md", "index.md", "log.md"),
        *("projects/shop/overview.md", "weeks/2026-W10.md"),
    }
    assert re.search(r"## decision\n\n- \[\[projects/shop/decision/use-sqlite\|Use SQLite\]\] \(shop\)", pages["index.md"])
    log = [line for line in pages["log.md"].splitlines() if line.startswith("- [")]
    assert re.match(r"- \[2026-03-0\d \d\d:\d\d\] evolve \| Use SQLite \(by user\)$", log[0])
    assert "evolve | Use SQLite" in pages["hot.md"].partition("## Recent Changes")[2]
    assert "We use Postgres" in pages["projects/shop/overview.md"]


def test_pages_are_no_memories(brain, home):
    """Pages are not indexed, and are made anew as they were when they are gone."""
    before = {file: file.read_text() for file in views(home).rglob("*.md")}
    assert brain.maintenance.sync().added == 0
    assert brain.maintenance.views().written == ()
    for file in before:
        file.unlink()
    brain.maintenance.views()
    assert {file: file.read_text() for file in views(home).rglob("*.md")} == before


def test_hot_in_500_words(memory, home):
    """HW-02: after 80 events of many words the page still has at most 500 words, as `wc -w` counts them: with its marks."""
    for number in range(80):
        memory.notes.save("event", f"Event {number}", f"{number} " + "and so it went on " * 10, project="shop")
        if number % 10 == 0:
            memory.notes.save("fact", f"Fact number {number} of the shop", f"Shelf {number} " + "holds many a thing " * 20)
    memory.maintenance.views()
    assert 200 < len((views(home) / "hot.md").read_text().split()) <= 500


def test_caps_are_named(memory, home):
    """SW-42: a section shows as many as its cap; how many more there are is said, and the memories stay."""
    for number in range(28):
        memory.notes.save("lesson", f"Lesson {number}", f"Thing {number} must be tried before it is told.")
    memory.maintenance.views()
    section = (views(home) / "MEMORY.md").read_text().partition("## Lessons Learned")[2].partition("## Recent")[0]
    assert section.count("**[[") == 25
    assert "- and 3 more: vade list --kind lesson" in section
    assert len(memory.notes.list(limit=100, kind=("lesson",))) == 28


def test_an_edit_reaches_its_memory(brain, home):
    """A line that is plainly another text or title becomes that of its memory, by hand, and undo takes it back."""
    change(home, "MEMORY.md", "We use SQLite. See COE01.", "We use DuckDB. See COE01.")
    change(home, "MEMORY.md", "Close the pool before forking]]", "Close the pool before a fork]]")
    report = brain.maintenance.views()
    assert set(report.taken) == {"Use SQLite", "Close the pool before a fork"}
    assert brain.notes.get("KD03").body == "We use DuckDB. See COE01.\n"
    assert brain.notes.get("Close the pool before a fork").body == "Close the pool before a fork.\n"
    assert [one.actor for one in brain.notes.history("KD03")][-1] == "hand"
    assert "We use DuckDB" in (views(home) / "projects/shop/overview.md").read_text()
    brain.notes.undo("KD03")
    assert brain.notes.get("KD03").body == "We use SQLite. See COE01.\n"


def test_what_is_not_plain_waits(brain, home):
    """A text of which the page showed a part, a new line, and an edit of what changed since wait, and approval carries them out."""
    change(home, "MEMORY.md", "Orders were lost in the night.", "Orders were lost at noon.")
    change(home, "MEMORY.md", "## Lessons Learned\n", "## Lessons Learned\n\n- Count the shelves twice.\n")
    brain.notes.edit("Use SQLite", body="We use SQLite, still.")
    change(home, "MEMORY.md", "We use SQLite. See COE01.", "DuckDB instead of SQLite.")
    brain.maintenance.views()
    waiting = proposals(brain)
    assert {one.kind: one.body for one in waiting.values()} == {
        "incident": "Orders were lost at noon.\n",
        "lesson": "Count the shelves twice.\n",
        "decision": "DuckDB instead of SQLite.\n",
    }
    assert brain.notes.get("KD03").body == "We use SQLite, still.\n"
    (later,) = [one.id for one in waiting.values() if one.kind == "decision"]
    done = brain.inbox.decide(later, "approve")
    assert brain.notes.get("KD03").id in (done.likely, *(one.id for one in done.others))
    assert by_hand((views(home) / "MEMORY.md").read_text(), set()) == ()


def test_what_cannot_be_kept_stays_on_the_page(brain, home):
    """A line that the guard refuses is not overwritten; the page waits for the person, and the others are made anew."""
    brain.notes.save("fact", "Kettle", "Descale it.")
    brain.notes.forget("Kettle", yes=True)
    page = views(home) / "log.md"
    page.write_bytes(page.read_bytes() + b"\xff")
    brain.notes.save("fact", "Teapot", "It is blue.")
    report = brain.maintenance.views()
    assert [problem.path for problem in report.problems] == ["_views/log.md"]
    assert page.read_bytes().endswith(b"\xff")
    assert "Teapot" in (views(home) / "index.md").read_text()


def test_notes_of_others(brain, home):
    """A note that somebody put beside the pages, also under the name of one, is never read nor written."""
    (views(home) / "mine.md").write_text("my own note\n")
    (views(home) / "log.md").write_text("my own log\n")
    brain.notes.save("fact", "Teapot", "It is blue.")
    report = brain.maintenance.views()
    assert report.proposed == ()
    assert [problem.path for problem in report.problems] == ["_views/log.md", "_views/mine.md"]
    assert [(views(home) / name).read_text() for name in ("mine.md", "log.md")] == ["my own note\n", "my own log\n"]


def test_page_of_a_project_that_is_gone(brain, home):
    """The page of a project that nothing is known of any more tells nothing; what was written there waits all the same."""
    change(home, "projects/shop/overview.md", "## Key Decisions\n", "## Key Decisions\n\nPaint it.\n")
    for title in ("Use SQLite", "Ship it"):
        brain.notes.archive(title, "done")
    assert brain.maintenance.views().proposed == ("Paint it.",)
    assert "SQLite" not in (views(home) / "projects/shop/overview.md").read_text()
    assert brain.maintenance.views().proposed == ()


def test_forgotten_is_on_no_page(brain, home):
    """What is forgotten is taken off every page at once; what somebody wrote there stays."""
    change(home, "index.md", "## lesson\n", "## lesson\n\nmy own words\n")
    brain.notes.forget("Use SQLite", yes=True)
    everything = "".join(file.read_text() for file in views(home).rglob("*.md"))
    assert "SQLite" not in everything
    assert "my own words" in everything


def test_kept_after_sessions(brain, home, tmp_path):
    """The round after sessions keeps the pages where there are any, and makes none where the person took them away."""
    unchanged = (views(home) / "EVOLUTION.md").stat().st_mtime_ns
    brain.notes.save("fact", "Teapot", "It is blue.")
    brain.sessions.process_due()
    assert "Teapot" in (views(home) / "index.md").read_text()
    assert (views(home) / "EVOLUTION.md").stat().st_mtime_ns == unchanged
    shutil.rmtree(views(home))
    brain.notes.save("fact", "Cup", "It is red.")
    brain.sessions.process_due()
    assert not views(home).exists()


EDITS = st.lists(
    st.tuples(
        st.sampled_from(["word", "line", "drop", "double", "split", "unmark", "join", "swap"]),
        st.integers(0, 60),
        st.integers(0, 200),
    ),
    min_size=1,
    max_size=6,
)


def edited(text, edits):
    """The page after somebody's random edits, and each word that they typed."""
    typed = []
    for number, (what, row, column) in enumerate(edits):
        lines = text.split("\n")
        at = row % len(lines)
        line = lines[at]
        place = column % (len(line) + 1)
        word = f"zq{number}xw"
        if what == "word":
            lines[at] = f"{line[:place]} {word} {line[place:]}"
            typed.append(word)
        elif what == "line":
            lines.insert(at, f"- I typed {word} here.")
            typed.append(word)
        elif what == "drop":
            del lines[at]
        elif what == "double":
            lines.insert(at, line)
        elif what == "split":
            lines[at : at + 1] = [line[:place], line[place:]]
        elif what == "unmark":
            lines[at] = re.sub(r" %%[^%]*%%$", "", line)
        elif what == "join" and at + 1 < len(lines):
            lines[at : at + 2] = [line + lines[at + 1]]
        elif what == "swap" and at + 1 < len(lines):
            lines[at], lines[at + 1] = lines[at + 1], line
        text = "\n".join(lines)
        typed = [one for one in typed if one in text]
    return text, typed


@settings(
    max_examples=12,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(EDITS, st.sampled_from(["MEMORY.md", "hot.md", "index.md", "log.md", "projects/shop/overview.md"]))
@example([("word", 0, 0)], "hot.md")
@example([("split", 33, 33)], "index.md")
def test_random_edits(brain, home, edits, name):
    """However somebody edits a page, every word they typed is in a memory, a proposal, or still on the page; and nothing else changed."""
    brain.maintenance.views()
    page = views(home) / name
    before = {one.id: one.body for one in brain.context.vault.list() if one.status == "active"}
    text, typed = edited(page.read_text(), edits)
    page.write_text(text)
    report = brain.maintenance.views()
    told = [json.dumps([one.title, one.body, str(one.extra)]) for one in brain.context.vault.list()]
    assert [word for word in typed if not any(word in one for one in (*told, page.read_text()))] == []
    for one in brain.context.vault.list():
        if one.id in before and one.body != before[one.id]:
            assert one.title in report.taken
            assert set(before[one.id].split()) & set(one.body.split()) or typed
    assert brain.maintenance.views().proposed == ()
    brain.inbox.decide_all("reject", by=By())
