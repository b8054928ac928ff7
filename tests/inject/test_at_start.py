"""What a start shows: what is of use for the work that goes on, and no more what was shown in vain."""

from datetime import timedelta

import pytest

from vademecum.domain.host import HookEvent
from vademecum.wiring import open_memory

REVIEW = """## Review of the release

1. **[High]** `src/oven.py:12` the oven is never closed after baking, which leaks heat into the room.
2. **[Medium]** `src/oven.py:40` the timer is read twice, see the report of the last audit for the numbers.
3. **[Low]** `src/tray.py:7` trays are sorted by name; by size would be better for narrow shelves.

### Steps to reproduce

- Start the oven
- Wait until it is hot
- Look at the thermometer
"""


@pytest.fixture
def bakery(settings, clock, tmp_path):
    """The memory, opened in a repository."""
    folder = tmp_path / "bakery"
    (folder / ".git").mkdir(parents=True)
    memory = open_memory(settings(), clock=clock, folder=folder)
    yield memory
    memory.close()


def started(memory, name, **fields):
    """Return what a session is shown at its start."""
    folder = memory.context.folder
    return memory.recall.deliver(HookEvent("plain", "start", "E", name, folder, cause="startup", **fields)).text


def save(memory, kind, title, text):
    return memory.notes.save(kind, title, text, project="bakery").memory


def test_shown_in_vain(bakery, clock):
    """What three starts showed and nothing took up rests; it is shown again later, and rests for longer then. Orders never rest."""
    save(bakery, "decision", "Flour", "The flour comes from the mill at the river.")
    save(bakery, "preference", "Short answers", "The user prefers short answers.")
    save(bakery, "correction", "Trays", "Trays are never stacked while they are hot.")
    shown = [started(bakery, f"s{number}") for number in range(5)]
    assert ["mill at the river" in text for text in shown] == [True, True, True, False, False]
    assert all("short answers" in text and "never stacked" in text for text in shown)
    clock.advance(timedelta(days=8))
    assert ["mill at the river" in started(bakery, f"t{number}") for number in range(2)] == [True, False]
    clock.advance(timedelta(days=8))
    assert "mill at the river" not in started(bakery, "u")


def read_from_conversation(memory, home, *saved):
    """Make saved memories into such as were read from a conversation."""
    for one in saved:
        path = home / one.path
        path.write_text(path.read_text().replace("\n---\n", "\ntrust: extracted\n---\n", 1))
    memory.maintenance.sync()


def test_a_task_that_nobody_saved_is_shown_once(bakery, clock, home):
    """A task that was only read from a conversation rests after one start that did not use it; what is used or saved does not.

    So it is in hosts that show nothing at prompts; for others it is held back.
    """
    oven = save(bakery, "task", "Oven", "Mend the door of the oven.")
    save(bakery, "task", "Sugar", "Order a sack of sugar.")
    read_from_conversation(bakery, home, oven)
    clock.advance(timedelta(minutes=1))
    shown = [started(bakery, f"s{number}", heard_at_prompts=False) for number in range(3)]
    assert ["door of the oven" in text for text in shown] == [True, False, False]
    assert all("sack of sugar" in text for text in shown)
    bakery.context.state.usage.note("used", [oven.uri], clock.now())
    assert "door of the oven" in started(bakery, "s3", heard_at_prompts=False)


def test_an_order_in_the_text_never_rests(bakery, clock):
    """An order meant to last never rests, although only the text says so and not the title."""
    save(bakery, "decision", "Aprons", "Always wash the aprons on Mondays.")
    assert all("Mondays" in started(bakery, f"s{number}") for number in range(5))


def test_what_comes_up_again_rests_later(bakery, clock):
    """A lesson that another session met, too, is shown twice as often; once more when it comes up again."""
    one = save(bakery, "lesson", "Yeast", "Yeast dies above 45 degrees.")
    bakery.notes.confirm(one.uri)
    clock.advance(timedelta(minutes=1))
    assert ["45 degrees" in started(bakery, f"s{number}") for number in range(8)] == [*[True] * 6, False, False]
    clock.advance(timedelta(minutes=1))
    bakery.notes.confirm(one.uri)
    clock.advance(timedelta(minutes=1))
    assert "45 degrees" in started(bakery, "t")


def test_what_is_used_does_not_rest(bakery, clock):
    """What a session took up is shown on."""
    one = save(bakery, "lesson", "Yeast", "Yeast dies above 45 degrees.")
    for number in range(6):
        assert "45 degrees" in started(bakery, f"s{number}"), number
        bakery.context.state.usage.note("used", [one.uri], clock.now())


def test_decisions_by_work(bakery, clock, tmp_path):
    """Of many decisions a start shows those that the last sessions had to do with, not the newest."""
    save(bakery, "decision", "Sourdough", "The sourdough rests for two days in the cellar.")
    for number in range(9):
        clock.advance(timedelta(minutes=1))
        save(bakery, "decision", f"Price {number}", f"Price list number {number} is printed on paper of colour {number}.")
    talk = tmp_path / "talk.jsonl"
    head = f'{{"type": "session", "id": "talk", "cwd": "{bakery.context.folder}"}}\n'
    talk.write_text(head + '{"id": "t1", "role": "user", "text": "Find out why the sourdough smells of vinegar"}\n')
    bakery.maintenance.capture((str(talk),))
    shown = started(bakery, "s1")
    assert "two days in the cellar" in shown
    assert "Price list" not in shown


@pytest.mark.parametrize(
    ("text", "today", "later"),
    [
        ("Asked: price lists\nDone: printed and hung up", False, True),
        ("Asked: price lists\nDone: printed\nOpen: hang them up", True, True),
        ("Asked: price lists\nLast message: They are printed.", True, True),
    ],
)
def test_closed_handoff(bakery, clock, text, today, later):
    """A handoff that leaves nothing open is shown only to who comes back after a day; one that may leave something, at once."""
    save(bakery, "handoff", "Price lists", text)
    assert "Where the last session stopped" in started(bakery, "s0")  # there is nothing else
    save(bakery, "preference", "Flour", "Use wholemeal flour.")
    assert ("Where the last session stopped" in started(bakery, "s1")) == today
    clock.advance(timedelta(days=2))
    assert ("Where the last session stopped" in started(bakery, "s2")) == later


def test_pasted_is_not_the_persons(bakery, home):
    """A review that was pasted never stands under the person's name, whatever it was saved as; their own words do."""
    own = save(bakery, "preference", "Short answers", "The user prefers short answers.")
    pasted = save(bakery, "preference", "Review of the release", REVIEW)
    read_from_conversation(bakery, home, own, pasted)
    shown = started(bakery, "s1")
    assert "short answers" in shown
    assert "never closed after baking" not in shown


def test_the_persons_line_counts_what_belongs_here(bakery, home, settings, tmp_path):
    """Saved and waiting memories of another project are neither counted nor named at this start; at its own start they are."""
    for title, project in (("Rye bread", "bakery"), ("Early mornings", ""), ("Pear trees", "garden"), ("Plum trees", "garden")):
        one = bakery.notes.save("decision", title, f"{title} were decided on.", project=project).memory
        path = home / one.path
        path.write_text(path.read_text().replace("\n---\n", "\ntrust: extracted\n---\n", 1))
    bakery.maintenance.sync()
    line = noticed(bakery, tmp_path / "bakery")
    assert "saved 2 today: " in line and "Rye bread" in line and "Early mornings" in line and "trees" not in line
    (tmp_path / "garden" / ".git").mkdir(parents=True)
    with open_memory(settings(), clock=bakery.context.clock, folder=tmp_path / "garden") as garden:
        line = noticed(garden, tmp_path / "garden")
    assert "saved 2 today: " in line and "Pear trees" in line and "Plum trees" in line


def noticed(memory, folder):
    """Return the line for the person at a start in a folder."""
    return memory.recall.deliver(HookEvent("plain", "start", "E", folder.name, str(folder), cause="startup")).notice
