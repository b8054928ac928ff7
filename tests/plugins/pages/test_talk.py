"""Conversations, questions, days and surroundings on the pages, through the HTTP door."""

import json
import re
from datetime import UTC, datetime, timedelta

import pytest
from tests.plugins.pages.test_pages import words

from vademecum.domain.query import Query

URI = "session://plain/talk"


def line(number, role="user", text="", **more):
    return {
        "role": role,
        "text": text or f"Turn {number} about the garden.",
        "time": f"2026-03-01T{10 + number // 60:02}:{number % 60:02}:00Z",
        **more,
    }


@pytest.fixture
def talked(tmp_path):
    """Makes a memory know a conversation: `talked(lines)` is a setup."""

    def setup(lines):
        path = tmp_path / "talk.jsonl"
        path.write_text("".join(f"{json.dumps(one)}\n" for one in lines))
        return lambda memory: memory.maintenance.capture((str(path),))

    return setup


def test_conversations_by_day(browse, talked, clock):
    """VO-62: conversations stand under Today, Yesterday and the days before, and can be opened."""
    clock.advance(timedelta(hours=2))

    async def walk(browser):
        page = await browser.get("/web/s")
        return words(page), await browser.ask("GET", re.search(r'href="(/web/s/[^"]+)"', page)[1])

    text, opened = browse(walk, talked([line(0), line(1, "agent")]))
    assert "Yesterday Turn 0 about the garden." in text
    assert opened.status == 200


def test_a_long_conversation_comes_in_pages(browse, talked):
    """A conversation is read page by page, each turn once and in order, and a link to a turn leads to its page, also by the number
    that a turn without an id was called once."""
    lines = [line(number, "user" if number % 2 == 0 else "agent") for number in range(400)]

    async def walk(browser):
        seen, target = [], "/web/s/plain/talk"
        while target:
            page = await browser.get(target)
            assert len(page) < 150_000
            seen += re.findall(r">Turn (\d+) about the garden\.</p>", page)
            following = re.search(r'href="([^"]+)" rel="next"', page)
            target = following[1].replace("&amp;", "&") if following else ""
        once = await browser.get("/web/s/plain/talk?turn=301")
        here = re.search(r'id="turn".*?[?&;]keep=(t-\w+)', once)[1]
        jumped = await browser.get(f"/web/s/plain/talk?turn={here}")
        await browser.get("/web/s/plain/talk?turn=9999", status=404)
        await browser.get("/web/s/plain/none", status=404)
        return seen, once, jumped

    seen, once, jumped = browse(walk, talked(lines))
    assert seen == [str(number) for number in range(400)]
    for page in (once, jumped):
        assert "Turn 300 about the garden" in words(re.search(r'<li id="turn".*?</li>', page, re.S)[0])
        assert "Turn 299 " not in page


def test_tools_are_folded(browse, talked):
    """Tools that were used after a turn stand folded below it, with the files that they touched."""
    used = {"type": "tool_use", "id": "t1", "name": "Edit", "input": {"file_path": "/shop/shop.py"}}
    said = [("user", "Please mend the shop."), ("assistant", [{"type": "text", "text": "I mend it."}, used])]
    lines = [
        {
            "type": role, "uuid": f"u{number}", "parentUuid": None, "sessionId": "s1", "cwd": "/shop", "version": "2.1.0",
            "timestamp": f"2026-03-01T10:00:0{number}.000Z", "message": {"role": role, "content": content},
        }
        for number, (role, content) in enumerate(said)
    ]  # fmt: skip

    async def walk(browser):
        listed = await browser.get("/web/s")
        return await browser.get(re.search(r'href="(/web/s/[^"]+)"', listed)[1])

    page = browse(walk, talked(lines))
    assert '<details class="tools">' in page
    assert "1 use of tools Edit /shop/shop.py" in words(page)


def test_what_was_kept_of_it(browse, talked):
    """What came of a conversation is listed with it, with the turn where it was said; the memory leads back there."""
    said = "We decided to use Helix for the shop because it is fast."
    lines = [line(0), line(1, "agent"), line(2, text=said), line(3, "agent"), line(4), line(5, "agent")]

    async def walk(browser):
        page = await browser.get("/web/s/plain/talk")
        memory = await browser.get(re.search(r'href="(/web/m/\w+)"', page)[1])
        back = re.search(r'href="(/web/s/plain/talk\?turn=[^"#]+)', memory)
        return words(page), await browser.get(back[1]) if back else ""

    page, there = browse(walk, talked(lines))
    assert "Saved from it" in page
    assert f"{said} saved" in page
    assert 'id="turn"' in there


def test_told_at_its_turn(browse, talked):
    """What an agent was told is marked at the turn of the person's that it was told for, on its page alone; what came before all
    is marked at the first."""
    lines = [line(number, "user" if number % 2 == 0 else "agent") for number in range(400)]

    def told(memory):
        talked(lines)(memory)
        begun = datetime(2026, 3, 1, 10, tzinfo=UTC)
        for title, minutes in (("Briefed", -2), ("Early", 8.02), ("Late", 300.1)):
            key = memory.notes.save("fact", title, f"About {title}.").memory.uri
            memory.context.state.shown.record(URI, [key], begun + timedelta(minutes=minutes))

    async def walk(browser):
        return words(await browser.get("/web/s/plain/talk")), words(await browser.get("/web/s/plain/talk?turn=301"))

    first, later = browse(walk, told)
    assert "Delivered in it" in first
    assert "Turn 0 about the garden. delivered Briefed" in first
    assert "Turn 8 about the garden. delivered Early" in first
    assert "delivered Late" not in first
    assert "Turn 300 about the garden. delivered Late" in later
    assert "delivered Early" not in later


def test_remember_a_turn(browse, talked):
    """A turn is made a memory with a form that says already what was said; it is the person's own."""

    async def walk(browser):
        page = await browser.get("/web/s/plain/talk")
        remember = re.search(r'href="([^"#]+keep=[^"#]+)#keep">remember', page)[1].replace("&amp;", "&")
        await browser.get(remember)
        done = words(await browser.press("Remember", title="The garden", body="The garden faces south.", kind="fact"))
        return done, words(await browser.get("/web/s/plain/talk"))

    done, kept = browse(walk, talked([line(0), line(1, "agent")]))
    assert "saved: The garden." in done
    assert "The garden" in kept


def test_search_within_and_exclude(browse, talked):
    """Words are found within one conversation; it can be told to teach nothing any more, and to teach again."""

    async def walk(browser):
        found = words(await browser.get("/web/s/plain/talk?words=red+kettle"))
        await browser.get("/web/s/plain/talk")
        excluded = words(await browser.press("Learn nothing from it"))
        return found, excluded, words(await browser.press("Learn from it again"))

    found, excluded, included = browse(walk, talked([line(0), line(1, "agent", "The red kettle hums."), line(2)]))
    assert "agent : The red kettle hums." in found
    assert "nothing is learnt from it" in excluded
    assert "It is learnt from again." in included


def asked(memory):
    memory.notes.save("fact", "Kettle", "Descale the kettle monthly with citric acid.")
    memory.notes.save("fact", "Teapot", "Rinse the teapot with water.")
    memory.notes.save("fact", "Boat", "The boat lies in Lisbon.")
    memory.recall.ask(Query("How often do we descale the kettle?"))


def test_why(browse):
    """Each question has its story; of a memory that should have come it is said at which stage it fell."""

    async def walk(browser):
        listed = await browser.get("/web/why")
        target = re.search(r'href="(/web/why/\w+)"', listed)[1]
        names = ("Kettle", "Boat", "Zebra")
        return words(listed), [words(await browser.get(f"{target}?wanted={name}")) for name in names]

    listed, (came, fell, unknown) = browse(walk, asked)
    assert "How often do we descale the kettle? 1 result" in listed
    assert "Kettle was among the results, at place 1." in came
    assert "Shown: Kettle" in came
    assert "words ran" in came
    assert "Boat was" in fell
    assert "Nothing has that name." in unknown


def test_why_pages(browse):
    """Questions come in pages, each once."""

    def many(memory):
        memory.notes.save("fact", "Kettle", "Descale the kettle monthly.")
        for number in range(60):
            memory.recall.ask(Query(f"kettle number {number}", gated=False))

    async def walk(browser):
        first = await browser.get("/web/why")
        second = await browser.get(re.search(r'href="([^"]+)" rel="next"', first)[1])
        return re.findall(r"kettle number (\d+)", first) + re.findall(r"kettle number (\d+)", second)

    assert browse(walk, many) == [str(number) for number in range(59, -1, -1)]


def test_time(browse, clock):
    """Days tell how much came or changed, by kind; a number leads to what it counts."""

    def days(memory):
        memory.notes.save("fact", "Kettle", "Descale it.")
        clock.advance(timedelta(days=2))
        memory.notes.save("fact", "Teapot", "Rinse it.")
        memory.notes.save("decision", "SQLite", "We use SQLite.")

    async def walk(browser):
        page = await browser.get("/web/time")
        link = re.search(r'href="([^"]+kind=decision)"', page)[1].replace("&amp;", "&")
        return words(page), words(await browser.get(link))

    table, found = browse(walk, days)
    assert "Wed 4 Mar 2 1 1" in table
    assert "Mon 2 Mar 1 1" in table
    assert "SQLite" in found
    assert "Teapot" not in found


def test_timeline_begins_where_something_was_said(browse, clock, tmp_path):
    """Of somebody whose last conversation is months old the timeline shows the span that holds it; a choice stays a choice."""

    def old(memory):
        line = {"id": "1", "role": "user", "text": "We talked.", "time": (memory.now() - timedelta(days=100)).isoformat()}
        (tmp_path / "talk.jsonl").write_text(f"{json.dumps(line)}\n")
        memory.maintenance.capture((str(tmp_path / "talk.jsonl"),))
        memory.notes.save("fact", "Kettle", "Descale it.")

    async def walk(browser):
        return [await browser.get(f"/web/time{query}") for query in ("", "?days=45")]

    usual, chosen = (re.search(r'aria-label="(\d+) days: ', page)[1] for page in browse(walk, old))
    assert (usual, chosen) == ("120", "45")


def test_lanes_hold_their_own_project(browse, clock):
    """What belongs to no project stands in no lane, and each project only in its own."""

    def days(memory):
        memory.notes.save("fact", "Teapot", "Rinse it.")
        clock.advance(timedelta(days=1))
        memory.notes.save("fact", "Kettle", "Descale it.", project="shop")
        clock.advance(timedelta(days=1))
        memory.notes.save("fact", "Lid", "It is red.", project="mill")

    async def walk(browser):
        return await browser.get("/web/time")

    assert sorted(re.findall(r'aria-label="((?:shop|mill), [^"]+)"', browse(walk, days))) == [
        "mill, Wednesday 4 March: 1", "shop, Tuesday 3 March: 1",
    ]  # fmt: skip


def test_timeline_without_its_left_edge(browse):
    """A narrow window shows the latest days: each project is named at the right edge as well, and a legend names both bars."""

    async def walk(browser):
        return await browser.get("/web/time")

    page = browse(walk, lambda memory: memory.notes.save("fact", "Kettle", "Descale it.", project="shop"))
    assert re.search(r'<text class="end"[^>]*text-anchor="end"[^>]*>shop</text>', page)
    assert "Memories Conversations" in words(page.partition('class="legend')[2])


def test_long_titles_around(browse):
    """A title of ordinary length stands whole beside its point; only a long one is cut."""

    def linked(memory):
        memory.notes.save("fact", "Kettle", "About it.")
        for name in ("Orders are never deleted", "Orders are never deleted by anybody at all"):
            memory.notes.save("fact", name, f"{name}.")
            memory.notes.link("Kettle", "related", name)

    async def walk(browser):
        address = re.search(r'href="(/web/m/\w+)"><bdi>Kettle', await browser.get("/web/find"))[1]
        return await browser.get(f"{address}/around")

    assert re.findall(r">(Orders[^<]*)</text>", browse(walk, linked)) == [
        "Orders are never deleted",
        "Orders are never deleted by …",
    ]


def test_around(browse):
    """What lies two steps around a memory is drawn and listed, and each point is a link."""

    def linked(memory):
        for name in ("Kettle", "Teapot", "Cup", "Boat"):
            memory.notes.save("fact", name, f"About the {name}.")
        memory.notes.link("Kettle", "related", "Teapot")
        memory.notes.link("Teapot", "related", "Cup")

    async def walk(browser):
        address = re.search(r'href="(/web/m/\w+)"><bdi>Kettle', await browser.get("/web/find"))[1]
        return await browser.get(f"{address}/around")

    page = browse(walk, linked)
    text = words(page)
    assert re.search(r"One step related Teapot.*Two steps related Cup", text)
    assert "Boat" not in text
    assert page.count("<circle") == 3
    assert 'aria-label="Teapot"><circle' in page
