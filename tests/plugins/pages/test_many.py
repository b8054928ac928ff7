"""What is done to many memories at once on the pages, through the HTTP door."""

import html
import re

from tests.plugins.pages.test_pages import words

from vademecum.plugins.pages import work


def things(count):
    def made(memory):
        for number in range(count):
            memory.notes.save("fact", f"Thing {number:02}", f"Number {number} of the things.", project="shop")
        memory.notes.save("decision", "SQLite", "We use SQLite.")

    return made


async def form(browser, what, asked="kind=fact"):
    """Go to the page of a deed from Find, as its link leads."""
    page = await browser.get(f"/web/find?{asked}")
    return words(await browser.get(html.unescape(re.search(rf'href="(/web/many/{what}[^"]*)"', page)[1])))


def test_forget_many_takes_the_word_and_has_no_undo(browse, home):
    """What a filter names is forgotten together when the word is typed: no file, no list and no undo has it, and it is proved."""

    async def walk(browser):
        shown = await form(browser, "forget", "project=shop&kind=fact")
        await browser.press("Do it", status=422, word="DELETE")
        still = words(await browser.get("/web/find?kind=fact"))
        await form(browser, "forget", "project=shop&kind=fact")
        done = await browser.press("Do it", word="FORGET")
        return shown, still, done, words(await browser.get("/web/find"))

    shown, still, done, rest = browse(walk, things(4))
    assert "4 memories. They are removed for good" in shown
    assert "There is no undo" in shown
    assert "Thing 03" in still
    assert "Forgotten: 4." in words(done)
    assert "nothing found" in words(done)
    assert ">Undo<" not in done
    assert "Thing" not in rest
    assert "SQLite" in rest
    assert not list(home.rglob("thing-*.md"))


def test_forget_what_a_question_finds(browse):
    """A question names what is forgotten as well as a filter does."""

    async def walk(browser):
        shown = await form(browser, "forget", "q=SQLite")
        return shown, words(await browser.press("Do it", word="FORGET")), words(await browser.get("/web/find"))

    shown, done, rest = browse(walk, things(2))
    assert "1 memory." in shown
    assert "Forgotten: 1." in done
    assert "SQLite" not in rest
    assert "Thing 01" in rest


def test_many_are_put_away_bit_by_bit_and_one_undo_brings_all_back(browse, monkeypatch):
    """Work that takes longer has a page that tells how far it is, also while it goes on; at its end one undo takes all of it back."""
    monkeypatch.setattr(work, "AT_ONCE_S", 0.0)

    async def ended(browser, page):
        target = re.search(r'href="(/web/work/\d+)"', page)[1] if "Look again" in page else ""
        while "Look again" in page:
            page = await browser.get(target)
        return page

    async def walk(browser):
        await form(browser, "archive")
        going = await browser.press("Do it", word="DELETE")
        done = browser.page = await ended(browser, going)
        gone = words(await browser.get("/web/find?status=active"))
        browser.page = done
        back = await ended(browser, await browser.press("Undo"))
        return words(going), words(done), gone, words(back), words(await browser.get("/web/find?status=active"))

    going, done, gone, back, there = browse(walk, things(25))
    assert re.search(r"Put away: \d+ of 25\. Look again", going)
    assert "Put away: 25." in done
    assert "Thing" not in gone
    assert "Steps taken back: 3." in back
    assert "Thing 24" in there


def test_work_that_stops_says_why(browse):
    """When one of the memories is gone meanwhile, what was done is told, and why it stopped."""

    async def walk(browser):
        await form(browser, "archive")
        shown = browser.page
        await form(browser, "forget")
        await browser.press("Do it", word="FORGET")
        browser.page = shown
        return words(await browser.press("Do it", word="DELETE")), await browser.ask("GET", "/web/work/99")

    stopped, unknown = browse(walk, things(3))
    assert "Put away: 0 of 3." in stopped
    assert "It stopped:" in stopped
    assert unknown.status == 404


def test_nothing_to_do(browse):
    """Filters that name nothing lead to no form, and what nobody does to many is refused."""

    async def walk(browser):
        return words(await browser.get("/web/many/archive?kind=lesson")), await browser.ask("GET", "/web/many/paint")

    page, refused = browse(walk, things(1))
    assert "No memory matches these filters." in page
    assert refused.status == 422
