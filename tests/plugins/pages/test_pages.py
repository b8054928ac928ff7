"""What a person sees and does on the pages, through the HTTP door."""

import html
import json
import re
from datetime import timedelta

import pytest
from htpy import div
from tests.by_hand import written_by_hand

from vademecum.domain.item import Item, Passage
from vademecum.domain.lifecycle import HostSessions
from vademecum.domain.query import Hit
from vademecum.plugin_api.verbs import found_by
from vademecum.plugins.pages import choices, projects
from vademecum.plugins.pages.health import programs_table
from vademecum.plugins.pages.home import health_line
from vademecum.plugins.pages.html import marked as marked_words
from vademecum.plugins.pages.search import only_by_meaning
from vademecum.settings import rows


def some(memory):
    memory.notes.save("fact", "Kettle", "Descale the *kettle* monthly.")
    memory.notes.save("fact", "Lid", "The lid is kept in the red box.", project="shop")
    memory.notes.edit("Lid", properties={"status": "inbox"})


def many(memory):
    written_by_hand(memory, {f"Thing {number:03}": f"Number {number}." for number in range(120)})


def words(page):
    """The text of a page, without markup."""
    return html.unescape(" ".join(re.sub(r"<[^>]+>", " ", page).split()))


def titles(page):
    return re.findall(r"<bdi>(Thing \d+)</bdi>", page)


def test_home(browse):
    """IN-54: the first page tells how much is known, what waits, and what was kept since yesterday, by whom and how."""

    async def walk(browser):
        return words(await browser.get("/web/")), words(await browser.get("/web/alarms"))

    def known(memory):
        some(memory)
        memory.notes.save("fact", "Fence", "It is green.", project="garden")

    text, problems = browse(walk, known)
    assert "3 memories, 0 conversations" in text
    assert "Inbox 1" in text
    assert "Decide about it" in text
    assert "Kettle fact saved by you just now" in text
    assert "Fence garden fact saved by you just now" in text
    assert "Needs a look meaning: no embedder is chosen" in problems
    assert "Memory works : capture, index and search report no problem." in words(str(health_line(())))
    assert "Lid fact saved by" not in text
    assert "Lid fact changed by" not in text  # it is not decided about yet
    assert "Nothing was shown to an agent" in text


def test_undo_from_home(browse):
    """What was kept can be taken back with one button, and that taken back too."""

    async def walk(browser):
        await browser.get("/web/")
        taken = words(await browser.press("Undo"))
        notice = browser.page
        gone = words(await browser.get("/web/find"))
        browser.page = notice
        await browser.press("Undo")
        return taken, gone, words(await browser.get("/web/find"))

    taken, gone, back = browse(walk, lambda memory: memory.notes.save("fact", "Kettle", "Descale it."))
    assert "Taken back: save." in taken
    assert "Kettle" not in gone
    assert "Kettle" in back


def test_wrong_from_home(browse):
    """What should never have been kept is put away with one button."""

    async def walk(browser):
        await browser.get("/web/")
        told = words(await browser.press("Wrong"))
        return told, words(await browser.get("/web/find?status=active")), words(await browser.get("/web/find?status=archived"))

    told, standing, archived = browse(walk, lambda memory: memory.notes.save("fact", "Kettle", "Descale it."))
    assert "Put away as wrong: Kettle." in told
    assert "Kettle" not in standing
    assert "Kettle" in archived


def test_decide_in_the_inbox(browse):
    """IN-54: what waits is approved, rejected or approved with another text, and each decision can be taken back."""

    async def walk(browser):
        await browser.get("/web/inbox")
        approved = words(await browser.press("Approve"))
        await browser.press("Undo")
        rejected = words(await browser.press("Reject"))
        await browser.press("Undo")
        edited = words(await browser.press("Approve this text", body="The lid is kept in the blue box."))
        return approved, rejected, edited, words(await browser.get("/web/find?q=lid"))

    approved, rejected, edited, found = browse(walk, some)
    assert "Approved: Lid." in approved
    assert "Nothing waits for you." in approved
    assert "Rejected: Lid." in rejected
    assert "Approved with your text" in edited
    assert "blue box" in found


def test_inbox_groups(browse):
    """What belongs together is decided together."""

    def alike(memory):
        for number in range(3):
            memory.notes.save("fact", f"Lid {number}", f"The lid number {number} is kept in the red box.")
            memory.notes.edit(f"Lid {number}", properties={"status": "inbox"})

    async def walk(browser):
        return words(await browser.get("/web/inbox")), words(await browser.press("Reject all"))

    before, after = browse(walk, alike)
    assert "3 proposals wait." in before
    assert "3 belong together" in before
    assert "Nothing waits for you." in after


def test_beside_a_proposal(browse):
    """Beside a proposal stands what is known about the same; it may take its place."""

    def rivals(memory):
        memory.notes.save("fact", "Lid", "The lid is kept in the red box.")
        memory.notes.save("fact", "Box", "Boxes are blue.")
        memory.notes.edit("Box", body="The lid is kept in the blue box.", properties={"status": "inbox"})

    async def walk(browser):
        identity = re.search(r"/web/inbox/(\w+)", await browser.get("/web/inbox"))[1]
        beside = words(await browser.get(f"/web/inbox/{identity}"))
        return (
            beside,
            words(await browser.press("The proposal replaces this one")),
            words(await browser.get("/web/find?status=superseded")),
        )

    beside, done, gone = browse(walk, rivals)
    assert "Similar memories Lid fact" in beside
    assert "The lid is kept in the red box." in beside.partition("Similar memories")[2]
    assert "replaced: Lid" in done
    assert "Lid" in gone


def test_doubts(browse):
    """Of two memories that say otherwise the person says which holds."""

    def doubtful(memory):
        memory.notes.save("fact", "Lid", "The lid is kept in the red box.")
        memory.notes.save("fact", "The lid", "The lid is kept in the blue box.")

    async def walk(browser):
        before = words(await browser.get("/web/inbox"))
        return (
            before,
            words(await browser.press("The later one holds")),
            words(await browser.get("/web/find?status=superseded")),
        )

    before, after, gone = browse(walk, doubtful)
    assert "Which of these holds?" in before
    assert "[!contradiction]" not in before  # the other side stands beside it
    assert "It holds: The lid." in after
    assert "Lid" in gone


def test_memory(browse, clock):
    """A memory shows its text as Markdown, its facts, its times, whom it was told and what can be done."""

    def told(memory):
        some(memory)
        key, state = memory.notes.get("Kettle").uri, memory.context.state
        state.shown.record("session://plain/talk", [key], clock.now())
        state.usage.note("told", [key], clock.now())
        state.usage.note("used", [key], clock.now())

    async def walk(browser):
        address = re.search(r'href="(/web/m/\w+)"><bdi>Kettle', await browser.get("/web/find"))[1]
        return await browser.get(address)

    page = browse(walk, told)
    assert "<em>kettle</em>" in page
    assert "personal: personal/fact/kettle.md" in words(page)
    assert "Delivered 1 time, used in 1 conversation, matched by 0 questions." in words(page)
    assert 'href="/web/s/plain/talk"' in page
    for label in ("Still holds", "Put away", "Replace", "Wrong", "Forget", "History"):
        assert label in page


def test_vo47_tiers(browse):
    """VO-47: each memory's page names its tier: what a session left, what lasts, what an agent holds about itself."""

    def tiers(memory):
        memory.notes.save("fact", "Kettle", "Descale it.")
        memory.notes.save("handoff", "Stopped", "At the kiln.")
        memory.notes.save("self", "Patient", "I am patient.")

    async def walk(browser):
        found = {}
        for kind in ("fact", "handoff", "self"):
            page = await browser.get(f"/web/find?kind={kind}&source={'handoff' if kind == 'handoff' else 'memory'}")
            target = re.search(r'class="entry".*?href="(/web/m/\w+)"', page, re.S)[1]
            found[kind] = re.search(r"Facts Tier (\S+)", words(await browser.get(target)))[1]
        return found

    assert browse(walk, tiers) == {"fact": "Long-term", "handoff": "Session", "self": "Soul"}


def test_export(browse, home):
    """A memory can be kept as its file, under its name, and no secret is in it."""

    def with_secret(memory):
        some(memory)
        path = home / "personal" / "fact" / "kettle.md"
        path.write_text(path.read_text() + "AKIAIOSFODNN7EXAMPLE\n")

    async def walk(browser):
        page = await browser.get("/web/find")
        return await browser.ask("GET", re.search(r'href="(/web/m/\w+)"><bdi>Kettle', page)[1] + "/export")

    answer = browse(walk, with_secret)
    text = answer.body.decode()
    assert answer.headers["content-disposition"] == "attachment; filename*=UTF-8''kettle.md"
    assert text.startswith("---\n")
    assert "Descale the *kettle* monthly." in text
    assert "AKIAIOSFODNN7EXAMPLE" not in text


def test_edit_keeps_both_sides_of_a_conflict(browse, home):
    """A text is saved; when the file changed meanwhile nothing is saved, both texts are shown, and saving again decides."""

    async def walk(browser):
        address = re.search(r'href="(/web/m/\w+)"><bdi>Kettle', await browser.get("/web/find"))[1]
        form = await browser.get(f"{address}/edit")
        saved = words(await browser.press("Save", body="Descale it in March."))
        browser.page = form
        conflict = await browser.press("Save", status=409, body="Descale it in May.")
        return saved, conflict, words(await browser.press("Save", body="Descale it in May."))

    saved, conflict, decided = browse(walk, some)
    assert "Saved: Kettle. Undo u Kettle fact" in saved
    assert "Descale it in March." in saved
    assert "It was changed meanwhile" in conflict
    assert "Descale it in March." in words(conflict)
    assert "Descale it in May.</textarea>" in conflict
    assert "Descale it in May." in decided
    assert "Descale it in May.\n" in (home / "personal" / "fact" / "kettle.md").read_text()


def test_what_is_edited(browse, home):
    """Title, kind, project and tags are edited as well, in one step that one undo takes back; a field that is not sent stays."""

    async def walk(browser):
        address = re.search(r'href="(/web/m/\w+)"><bdi>Kettle', await browser.get("/web/find"))[1]
        form = await browser.get(f"{address}/edit")
        typed = {"title": "Kettle at work", "kind": "procedure", "project": "kitchen", "tags": "tea, #water"}
        saved = words(await browser.press("Save", body="Descale the *kettle* monthly.", **typed))
        there = (home / "projects" / "kitchen" / "procedure" / "kettle.md").exists()
        return form, saved, there, words(await browser.press("Undo"))

    form, saved, there, undone = browse(walk, some)
    assert 'name="title"' in form
    assert "Kettle at work procedure kitchen #tea #water" in saved
    assert there
    assert "Kettle fact" in undone


def test_found_by_sort(browse, tmp_path):
    """Answers to a question stand by what they are, memories first; a conversation stands there once; words of the question are marked."""

    def talked(memory):
        some(memory)
        texts = ("Descale the kettle with vinegar.", "The kettle holds a litre.", "Descale it again in May, the kettle is new.")
        lines = [{"id": str(at), "role": "user", "text": text} for at, text in enumerate(texts)]
        (tmp_path / "talk.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
        memory.maintenance.capture((str(tmp_path / "talk.jsonl"),))

    async def walk(browser):
        return await browser.get("/web/find?q=descale+kettle")

    page = browse(walk, talked)
    assert list(re.findall(r"<h2>(\w+) <span", page)) == ["Memories", "Conversations"]
    assert page.count('href="/web/s/plain/talk"') == 1
    assert "<mark>Descale</mark> the <mark>kettle</mark> monthly." in page


def test_jump(browse):
    """Some letters of a name give links to what is called so, projects and memories first; none gives nothing."""

    def known(memory):
        some(memory)
        memory.notes.save("fact", "Fence", "It is green.", project="garden")

    async def walk(browser):
        return [
            await browser.ask("GET", f"/web/jump?q={letters}", hx_request="true")
            for letters in ("ett", "et+ke", "gar", "zebra", "")
        ]

    found = [answer.body.decode() for answer in browse(walk, known)]
    assert [words(page) for page in found] == ["Kettle fact", "Kettle fact", "garden project", "", ""]
    assert 'href="/web/m/' in found[0]


def test_projects(browse):
    """Each project has a card: what is known of it, and where work on it stopped; the one worked on last comes first."""

    def worked(memory):
        some(memory)
        memory.notes.save("handoff", "The lid is painted; one coat is missing", "Go on.", project="shop")
        memory.notes.save("fact", "Fence", "It is green.", project="garden")

    async def walk(browser):
        return words(await browser.get("/web/projects")), words(await browser.get("/web/"))

    page, home = browse(walk, worked)
    assert re.search(r"garden .* 1 memory 0 conversations", page)
    assert "shop The lid is painted; one coat is missing" in page
    assert "Where work stands" in home
    assert "shop" in home.partition("Where work stands")[2]


def test_relations_from_the_other_side(browse):
    """A memory that replaced another says so, and the other that it was replaced: each in its own direction, once."""

    async def walk(browser):
        address = re.search(r'href="(/web/m/\w+)"><bdi>Kettle', await browser.get("/web/find"))[1]
        await browser.get(f"{address}/evolve")
        new = words(await browser.press("Replace", body="Descale the kettle weekly.", reason="hard water"))
        listed = (await browser.get("/web/find?status=superseded")).partition('class="entries"')[2]
        old = re.search(r'href="(/web/m/\w+)"', listed)[1]
        return new, words(await browser.get(old))

    new, old = browse(walk, some)
    assert "supersedes Kettle" in new.partition("Linked with")[2]
    assert "superseded by Kettle" in old.partition("Linked with")[2]


def test_replace_and_history(browse):
    """A new text takes the place of an old one, and every change is shown as a difference that can be undone."""

    async def walk(browser):
        address = re.search(r'href="(/web/m/\w+)"><bdi>Kettle', await browser.get("/web/find"))[1]
        await browser.get(f"{address}/evolve")
        page = await browser.press("Replace", body="Descale the kettle weekly.", reason="hard water")
        address = re.search(r'href="(/web/m/\w+)/history', page)[1]
        history = await browser.get(f"{address}/history")
        return words(page), history, words(await browser.press("Undo this"))

    page, history, undone = browse(walk, some)
    assert "Replaced; the old text stays under its own name: Kettle" in page
    assert "All changes with differences" in page
    assert "History of Kettle" in words(history)
    assert "hard water" in words(history)
    assert "Descale the kettle weekly." in words(history)
    assert "Taken back: evolve" in undone


def test_history_as_it_is_read(browse):
    """The first version stands there as the memory's own page shows it; of later ones the lines and properties that changed, by name."""

    def changed(memory):
        memory.notes.save("fact", "Kettle", "Descale the **kettle** monthly.\nUse [[Vinegar|white vinegar]].")
        memory.notes.edit("Kettle", body="Descale the **kettle** weekly.\nUse [[Vinegar|white vinegar]].")
        memory.notes.edit("Kettle", properties={"tags": ["kitchen"], "valid_until": "2027-01-01"})
        memory.notes.archive("Kettle")

    async def walk(browser):
        address = re.search(r'href="(/web/m/\w+)"><bdi>Kettle', await browser.get("/web/find?status=archived"))[1]
        return await browser.get(f"{address}/history")

    page = browse(walk, changed)
    versions = page.partition("<ol")[2].partition("</ol>")[0].split("<li")[1:]
    archived, tagged, edited, first = map(words, versions)
    assert "Status archived" in archived
    assert "Tags kitchen Holds until 2027-01-01" in tagged
    assert "monthly" not in tagged
    assert "-Descale the **kettle** monthly. +Descale the **kettle** weekly." in edited
    assert "Descale the kettle monthly." in first
    assert "Kind fact" in first
    for mark in ("---", "id:", "created:", "@@"):
        assert mark not in words(page), mark


def test_snippets_are_plain_text(browse):
    """Below a result stands what a reader sees of a note: no marks of links, emphasis or tables, and the words of the question marked."""
    body = (
        "The **blue** kettle of [[Kitchen list|the kitchen]] takes descaler.\n\n| Part | Box |\n|---|---|\n| lid | `red_box` |"
    )

    async def walk(browser):
        return await browser.get("/web/find?q=kettle+descaler")

    page = browse(walk, lambda memory: memory.notes.save("fact", "Descaling", body))
    said = page.partition('class="small said"')[2].partition("</p>")[0]
    assert "The blue kettle of the kitchen takes descaler . Part, Box lid, red_box" in words(f"<p {said}")
    assert "<mark>kettle</mark>" in said


def test_forget_takes_the_word(browse):
    """A memory is forgotten for good only when the word is typed; the proof says what was searched."""

    async def walk(browser):
        address = re.search(r'href="(/web/m/\w+)"><bdi>Kettle', await browser.get("/web/find"))[1]
        plan = words(await browser.get(f"{address}/forget"))
        refused = words(await browser.press("Forget it", status=200, word="forget"))
        done = words(await browser.press("Forget it", status=200, word="FORGET"))
        return plan, refused, done, await browser.ask("GET", address)

    plan, refused, done, gone = browse(walk, some)
    assert "This cannot be undone" in plan
    assert "Goes Kettle" in plan
    assert "Nothing was forgotten: the word is FORGET." in refused
    assert "nothing found" in done
    assert "STILL" not in done
    assert gone.status == 404


def test_find_by_filters(browse):
    """Filters and a question stand in the address; each address gives its page again."""

    async def walk(browser):
        asked = ("project=shop", "kind=decision", "status=inbox", "q=descale", "q=descale&as_agent=1", "q=zebra&as_agent=1")
        return {one: words(await browser.get(f"/web/find?{one}")).partition("agent would be shown")[2] for one in asked}

    found = browse(walk, some)
    assert "Lid" in found["project=shop"]
    assert "Nothing here." in found["kind=decision"]
    assert "Lid" in found["status=inbox"]
    assert "Kettle" not in found["status=inbox"]
    assert "Kettle" in found["q=descale"]
    assert "at least" in found["q=descale&as_agent=1"]
    assert "Nothing known about that" in found["q=zebra&as_agent=1"]


def test_filters_tell_what_they_would_show(browse):
    """Beside what is found stand the values of each filter with how much they would show; one chosen can be taken away again."""

    def sorts(memory):
        some(memory)
        memory.notes.save("decision", "Kiln", "We fire at 1200 degrees.", project="shop", tags=("clay",))

    async def walk(browser):
        page = await browser.get("/web/find")
        kind = html.unescape(re.search(r'href="([^"]*kind=decision[^"]*)"', page)[1])
        chosen = await browser.get(kind)
        without = html.unescape(re.search(r'href="([^"]*)" aria-current="true"', chosen)[1])
        return words(page), words(chosen), words(await browser.get(without))

    page, chosen, without = browse(walk, sorts)
    assert "Kind fact 2 decision 1" in page
    assert "Status active 2 waiting for you 1" in page
    assert "Tag clay 1" in page
    assert "fact 2 decision ✕" in chosen
    assert "Kiln shop decision" in chosen
    assert "Kettle" not in chosen
    assert "Kettle" in without


@pytest.mark.parametrize("path", ["/", "/inbox", "/find", "/projects", "/s", "/why", "/time", "/weeks", "/health", "/settings"])
def test_as_of_is_in_the_bar_of_every_page(browse, path):
    """A day chosen in the bar goes along to every other page; each says whether it shows that day or can only show now."""

    async def walk(browser):
        return await browser.get(f"/web{path}?at=2026-02-20")

    page = browse(walk, some)
    assert re.search(r'<input[^>]*name="at" value="2026-02-20"[^>]*id="at"', page)
    assert 'href="/web/find?at=2026-02-20"' in page
    text = words(page)
    knows = (
        "knows only how things are now"
        if path in ("/health", "/settings", "/projects", "/weeks")
        else "As it stood at the end of 2026-02-20."
    )
    assert knows in text
    assert "Kettle" not in text


def test_as_of_shows_that_day(browse, clock):
    """On a past day Home tells what was kept then, the inbox what waited, the timeline counts up to it, and nothing can be changed."""

    def lived(memory):
        some(memory)
        clock.advance(timedelta(days=10))
        memory.inbox.decide("Lid", "reject")
        memory.notes.save("fact", "Teapot", "Rinse it.")

    async def walk(browser):
        return [await browser.get(f"/web{path}?at=2026-03-03") for path in ("/", "/inbox", "/time")]

    today, inbox, days = browse(walk, lived)
    assert "Kettle fact saved by you" in words(today)
    assert "Teapot" not in words(today)
    assert "Lid" in words(inbox)
    assert 'method="post"' not in today + inbox
    assert "Mon 2 Mar 2 2" in words(days)
    assert "2026-03-12" not in words(days)


def test_pages_by_key(browse):
    """A long list comes in pages that give everything once."""

    async def walk(browser):
        seen, target = [], "/web/find?kind=fact"
        while target:
            page = await browser.get(target)
            seen.append(titles(page))
            following = re.search(r'href="([^"]+)" rel="next"', page)
            target = html.unescape(following[1]) if following else ""
        return seen

    pages = browse(walk, many)
    assert [len(page) for page in pages] == [50, 50, 20]
    assert len({title for page in pages for title in page}) == 120


def test_as_of(browse, clock):
    """Find and memory show what was known on a day."""

    def then_and_now(memory):
        memory.notes.save("fact", "Kettle", "Descale it in March.")
        clock.advance(timedelta(days=10))
        memory.notes.edit("Kettle", body="Descale it in May.")
        memory.notes.save("fact", "Teapot", "Rinse it.")

    async def walk(browser):
        address = re.search(r'href="(/web/m/\w+)"><bdi>Kettle', await browser.get("/web/find"))[1]
        return words(await browser.get("/web/find?at=2026-03-05")), words(await browser.get(f"{address}?at=2026-03-05"))

    listed, shown = browse(walk, then_and_now)
    assert "Kettle" in listed
    assert "Teapot" not in listed
    assert "Descale it in March." in shown
    assert "As it stood at the end of 2026-03-05." in shown


@pytest.mark.parametrize(("target", "status"), [
    ("/web/m/nothing", 404), ("/web/find?status=strange", 422), ("/web/find?since=someday", 422), ("/web/find?after=nonsense", 200),
    ("/web/elsewhere", 404), ("/web/m/nothing/history", 404), ("/web/find?kind=strange", 422), ("/web/inbox/nothing", 404),
])  # fmt: skip
def test_bad_input_gets_a_page(browse, target, status):
    """What cannot be understood is answered with a page that says so, never with a fault."""

    async def walk(browser):
        return await browser.get(target, status=status)

    page = browse(walk, some)
    assert "<h1>" in page
    assert 'href="/web/inbox"' in page  # the way to all other pages
    assert "vade " not in words(page).partition("That did not work")[2]  # what is typed in a terminal helps nobody here
    assert "should not have happened" not in page


def test_secrets_stay_inside(browse, home):
    """A secret that came into a file by hand is on no page."""

    async def walk(browser):
        path = home / "personal" / "fact" / "kettle.md"
        path.write_text(path.read_text() + "\npassword: hunter2-Correct-Horse-9\nAKIAIOSFODNN7EXAMPLE\n")
        address = re.search(r'href="(/web/m/\w+)"><bdi>Kettle', await browser.get("/web/find"))[1]
        return await browser.get(address), await browser.get(f"{address}/edit")

    for page in browse(walk, some):
        assert "AKIAIOSFODNN7EXAMPLE" not in page


def test_vo44_many_put_away_at_once(browse):
    """VO-44: lists by kind are seen and put away one by one or, by typing DELETE, all at once; one undo brings all back."""

    def kinds(memory):
        for number in range(5):
            memory.notes.save("fact", f"Thing {number}", f"Number {number}.")
        memory.notes.save("decision", "SQLite", "We use SQLite.")

    async def walk(browser):
        await browser.get("/web/find?kind=fact")
        target = html.unescape(re.search(r'href="(/web/many/archive[^"]*)"', browser.page)[1])
        shown = words(await browser.get(target))
        await browser.press("Do it", status=422, word="delete")
        still = words(await browser.get("/web/find?kind=fact&status=active"))
        await browser.get(target)
        done = words(await browser.press("Do it", word="DELETE"))
        notice = browser.page
        gone, rest = words(await browser.get("/web/find?status=active")), words(await browser.get("/web/find?status=archived"))
        browser.page = notice
        await browser.press("Undo")
        return shown, still, done, gone, rest, words(await browser.get("/web/find?status=active"))

    shown, still, done, gone, rest, back = browse(walk, kinds)
    assert "5 memories." in shown
    assert "SQLite" not in shown
    assert "Thing 4" in still
    assert "Put away: 5." in done
    assert "Thing" not in gone
    assert "SQLite" in gone
    assert all(f"Thing {number}" in rest for number in range(5))
    assert all(f"Thing {number}" in back for number in range(5))


def test_week_by_week(browse, tmp_path):
    """Beside the timeline: what was delivered and used, tokens, conversations by program and memories, each drawn and as a table."""

    def some_weeks(memory):
        now = memory.now()
        some(memory)
        keys = [item.key for item in memory.notes.list(5, status=("active",))]
        memory.notes.save("fact", "Pot", "The pot is green.")
        pot = memory.notes.get("Pot").uri
        state = memory.context.state
        state.shown.record("session://claude-code/a", [*keys, f"{pot}#1", f"{pot}#2", "notice"], now - timedelta(days=7))
        state.shown.record("session://claude-code/b", [pot], now)
        state.usage.note("used", [pot], now - timedelta(days=6))
        memory.context.storage.hook_log.write({"moment": "prompt", "tokens": 1250}, now - timedelta(days=7))
        memory.context.storage.hook_log.write({"moment": "prompt", "tokens": 0}, now)
        line = {"id": "1", "role": "user", "text": "We talked.", "time": now.isoformat()}
        (tmp_path / "talk.jsonl").write_text(f"{json.dumps(line)}\n")
        memory.maintenance.capture((str(tmp_path / "talk.jsonl"),))

    async def walk(browser):
        linked = 'href="/web/weeks"' in await browser.get("/web/time")
        return linked, await browser.get("/web/weeks")

    linked, page = browse(walk, some_weeks)
    assert linked
    assert page.count("<svg viewBox") == page.count('class="numbers"') == 4
    tables = [re.findall(r"<t[dh][^>]*>([^<]*)</t[dh]>", table) for table in re.findall(r"<table.*?</table>", page)]
    delivered, tokens, talks, known = (
        [row[i : i + width] for i in range(0, len(row), width)] for row, width in zip(tables, (3, 2, 2, 2), strict=True)
    )
    assert delivered[0] == ["Week of", "used", "delivered, not used"]
    assert [row[1:] for row in delivered[1:3]] == [["0", "1"], ["1", "1"]]
    assert [row[1] for row in tokens[1:4]] == ["0", "1,250", "0"]
    assert [row[1] for row in talks[:3]] == ["plain", "1", "0"]
    assert [row[1] for row in known[1:3]] == ["2", "0"]
    assert "1.2k" in page
    assert "this week 0 used, 1 delivered, not used" in page


@pytest.mark.parametrize(("question", "marked"), [
    ("what do we use for storage", ["storage"]), ("for what", ["for"]),
])  # fmt: skip
def test_words_that_are_marked(question, marked):
    """A match is marked by the words that say something; where the question has no such word, by all of them."""
    shown = div[marked_words("SQLite for storage.", question)]
    assert re.findall("<mark>([^<]+)", str(shown)) == marked


def test_states_without_a_conversation_are_left_out():
    """The table of programs has no column of zeros, so that it fits a phone."""
    hosts = [HostSessions("codex", seen=4, open=3, failed=1), HostSessions("gemini", seen=2)]
    assert re.findall(r'scope="col">([^<]+)<', str(programs_table(hosts))) == ["Program", "Seen", "Still open", "Failed"]
    assert "has not said that the conversation ended" in str(programs_table(hosts))
    assert "Still open" not in str(programs_table(hosts[1:]))


def test_settings_have_titles():
    """No setting is titled by the value it takes; a title is the beginning of the sentence that says what it does."""
    titles = {row.name: choices.title_of(row) for row in rows()}
    assert titles["briefing_tokens"] == "Size of the briefing"
    assert titles["research"] == "Research on the web"
    assert not {name for name, title in titles.items() if not title[:1].isupper() or title.lower() in ("true", "false")}


def test_nearest_in_meaning_alone():
    """Where no hit has a word of the question the page says so; a hit by words or by name is one that was asked for."""
    item = Item("memory://a", "memory", "personal", "a.md", "A", "", "", "fact")
    near, worded, named = (
        Hit(item, Passage("a"), 1, 1.0, signals=signals) for signals in ({"meaning": 0.3}, {"words": 0.2}, {})
    )
    assert [only_by_meaning(hits) for hits in ((near,), (near, worded), (near, named), ())] == [True, False, False, False]


@pytest.mark.parametrize(("rationale", "shown"), [
    ('en.lesson.agent-lesson: "Note:"; with its reason', 'the words "Note:"; with its reason'),
    ("view.edit: written by hand in a.md", "written by hand in a.md"),
    ("claude-cli decision: it was agreed", "claude-cli decision: it was agreed"),
    ("because", "because"),
])  # fmt: skip
def test_why_without_the_name_of_a_pattern(rationale, shown):
    """Why something was proposed is said in words; the pattern's own name is no word."""
    assert found_by(rationale) == shown


def test_no_legend_without_a_drawing(browse):
    """A chart of nothing says so; a legend stands below what it explains only."""

    async def walk(browser):
        return await browser.get("/web/weeks")

    page = browse(walk, lambda memory: memory.notes.save("fact", "Pot", "The pot is green."))
    assert (page.count("<svg viewBox"), page.count('class="legend"'), page.count("Nothing in these weeks.")) == (1, 1, 3)


def test_a_memory_stands_once_on_the_first_page(browse):
    """Of several changes of one memory the first page shows the last one and counts the others."""

    def changes(memory):
        memory.notes.save("fact", "Kettle", "Descale it.")
        memory.notes.save("fact", "Teapot", "Rinse it.")
        memory.notes.edit("Kettle", body="Descale it on Mondays.")
        memory.notes.archive("Kettle")

    async def walk(browser):
        return words((await browser.get("/web/")).partition("Learned since yesterday")[2])

    page = browse(walk, changes)
    assert (page.count("Kettle"), page.count("Teapot")) == (1, 1)
    assert "put away by you just now and 2 earlier changes" in page


def test_weeks_of_nothing(browse):
    """Where nothing happened yet the page says so and what to do."""

    async def walk(browser):
        return words(await browser.get("/web/weeks"))

    assert "Nothing was delivered, held or saved yet. Connect a program" in browse(walk)


def test_not_there_leads_to_a_search(browse):
    """An address of nothing offers to search for what it names."""

    async def walk(browser):
        await browser.get("/web/m/kettle-lid", status=404)
        return words(await browser.get(re.search(r'href="(/web/find[^"]+)"', browser.page)[1]))

    assert "Search" in browse(walk, some)


def test_repeated_questions_stand_once(browse):
    """A question that was asked again is listed once, with how often."""

    async def walk(browser):
        for question in ("kettle", "lid", "kettle"):
            await browser.get(f"/web/find?q={question}")
        return words((await browser.get("/web/why")).partition("<h1>")[2])

    page = browse(walk, some)
    assert (page.count("kettle"), page.count("lid")) == (1, 1)
    assert "asked 2 times" in page


def test_conversations_of_a_project(browse, tmp_path):
    """The conversations of one project are a choice; one alone offers none."""

    def talks(memory):
        for project in ("garden", "shop"):
            lines = (
                {"type": "session", "id": project, "time": "2026-03-01T09:00:00Z", "project": project},
                {"id": "1", "role": "user", "text": f"We plan the {project}.", "time": "2026-03-01T09:00:00Z"},
            )
            path = tmp_path / f"{project}.jsonl"
            path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
            memory.maintenance.capture((str(path),))

    async def walk(browser):
        everything = await browser.get("/web/s")
        return everything, words(await browser.get("/web/s?project=shop"))

    everything, of_one = browse(walk, talks)
    assert 'href="/web/s?project=garden"' in everything
    assert "We plan the shop." in of_one
    assert "We plan the garden." not in of_one


@pytest.mark.parametrize("count", [1, 2])
def test_neighbours_are_drawn(browse, count):
    """A memory with several neighbours has a drawing of them; of one the list says as much."""

    def linked(memory):
        memory.notes.save("fact", "Kettle", " ".join(f"[[Lid {number}]]" for number in range(count)))
        for number in range(count):
            memory.notes.save("fact", f"Lid {number}", f"It has the number {number}.")

    async def walk(browser):
        address = re.search(r'href="(/web/m/\w+)"><bdi>Kettle', await browser.get("/web/find"))[1]
        return await browser.get(address)

    drawing = browse(walk, linked).partition('<svg class="around"')[2].partition("</svg>")[0]
    assert drawing.count("<circle") == (count + 1 if count > 1 else 0)


def test_projects_from_few_items_are_those_from_all(memory, monkeypatch):
    """What is read a few items at a time, until nothing older matters, gives what reading all at once gives."""
    for number in range(9):
        memory.notes.save(
            "fact", f"Kettle {number}", f"Descale number {number}.", project=("shop", "garden", "tower")[number % 3]
        )
    memory.notes.save("handoff", "The lid is painted; one coat is missing", "Go on.", project="shop")
    answers = []
    for at_once in (projects.LOOKED_AT, 1, 2):
        monkeypatch.setattr(projects, "READ_AT_ONCE", at_once)
        answers.append([projects.standing(memory, limit) for limit in (1, 2, 3, 9)])
    assert answers[0] == answers[1] == answers[2]
    assert {row.name for row in answers[0][-1]} == {"shop", "garden", "tower"}
