"""A life of 2,000 memories and 3,000 conversations in five languages, looked at and put in order in a real Chromium."""

import re
from pathlib import Path

import pytest

from tests.real.served_pages import browser, served, settled
from vademecum.settings import Settings
from vademecum.wiring import open_memory
from vademecum_bench.life import lived

pytestmark = pytest.mark.soak

#: Largest page, in bytes.
LARGEST = 150_000


@pytest.fixture(scope="module")
def life(tmp_path_factory):
    """Settings of that life."""
    folder = tmp_path_factory.mktemp("life")
    (folder / "Memory").mkdir()
    made = Settings(
        home=str(folder / "Memory"), data_dir=str(folder / "data"), cache_dir=str(folder / "cache"), device="test",
        embedder="none",
    )  # fmt: skip
    with open_memory(made) as memory:
        lived(memory, folder / "Memory", folder / "talk", memories=2000, sessions=3000)
    return made


@pytest.fixture(scope="module")
def window(life):
    """A page in a browser that was let in, with the sizes of all that it was given."""
    with served(life) as entrance, browser() as chrome:
        page = chrome.new_context(accept_downloads=True).new_page()
        page.sizes = {}
        page.on("response", lambda answer: page.sizes.update({answer.url: int(answer.headers.get("content-length", 0))}))
        page.goto(entrance())
        page.base = page.url.rstrip("/")
        yield page


def go(page, path):
    page.goto(page.base + path)
    settled(page)


def told(page, words):
    """Wait until the page says so."""
    page.get_by_text(words).first.wait_for()


def press(page, name, within="main"):
    page.locator(within).get_by_role("button", name=name).first.click()


def memory_of(life, **where):
    with open_memory(life) as memory:
        return memory.notes.list(1, **where)[0]


def test_today(window):
    """What was kept is undone, and that is undone; what was told is listed."""
    go(window, "/")
    told(window, "Delivered to agents lately")
    press(window, "Undo")
    told(window, "Taken back: save")
    press(window, "Undo", ".notice")
    told(window, "Taken back: undo")


def test_inbox(window):
    """What waits is decided with one key each, undone, and a group at once; what is similar comes beside."""
    go(window, "/inbox")
    window.keyboard.press("j")
    window.locator("[data-entry].at:focus").wait_for()
    window.locator("#similar").first.wait_for()
    window.keyboard.press("a")
    told(window, "Approved:")
    window.locator("[data-entry].at:focus").wait_for()
    window.keyboard.press("u")
    told(window, "Taken back: approve")
    press(window, "Reject all")
    told(window, "Rejected:")


def test_find(window):
    """Filters are taken and left by their links, lists go on page by page, and everything stands in the address."""
    go(window, "/find")
    window.get_by_role("link", name="decision", exact=True).click()
    window.wait_for_url("**/find?kind=decision")
    window.locator("[aria-current=true]", has_text="decision").wait_for()
    window.get_by_role("link", name="Older", exact=True).click()
    window.wait_for_url("**after=*")
    window.go_back()
    window.wait_for_url("**/find?kind=decision")
    window.locator("main").get_by_label("Question").fill("price list")
    press(window, "Find")
    told(window, "Why these, and what was left out")


def test_as_of(window):
    """A day that is chosen in the bar goes along from page to page, and back to now."""
    go(window, "/find")
    window.get_by_label("As of").fill("2026-01-31")
    window.get_by_role("button", name="Show").click()
    told(window, "As it stood at the end of 2026-01-31.")
    window.get_by_role("navigation", name="Pages").get_by_role("link", name="Time").click()
    window.wait_for_url("**/time?at=2026-01-31")
    told(window, "As it stood at the end of 2026-01-31.")
    window.get_by_role("link", name="As it is now").click()
    window.wait_for_url("**/time")


def test_memory_from_right_to_left(window, life):
    """A memory in Arabic is read from right to left, edited, replaced, undone, exported, and what lies around it is seen."""
    with open_memory(life) as memory:
        items = memory.notes.list(400, status=("active",))
        one = next(item for item in items if re.search("[ء-ي]", item.title))
    path = f"/m/{one.key.removeprefix('memory://')}"
    go(window, path)
    text = window.locator(".text").first
    assert text.evaluate("one => getComputedStyle(one).direction") == "rtl"
    go(window, f"{path}/edit")
    window.locator("#body").fill("نص جديد للصفحة.")
    press(window, "Save")
    told(window, "نص جديد للصفحة.")
    press(window, "Undo", ".notice")
    told(window, "Taken back: edit")
    go(window, f"{path}/evolve")
    window.locator("#body").fill("The text that holds now.")
    press(window, "Replace")
    told(window, "It says this now")
    window.get_by_role("link", name="History").click()
    window.locator("ins", has_text="The text that holds now.").first.wait_for()
    go(window, path)
    with window.expect_download() as kept:
        window.get_by_role("link", name="Export").click()
    assert Path(kept.value.path()).read_text(encoding="utf-8").startswith("---\n")


def test_conversation(window):
    """A long conversation is read page by page, what was told stands at its turn, and a turn becomes a memory."""
    go(window, "/s/plain/talk-00000")
    window.get_by_role("link", name=re.compile("^Later")).click()
    window.wait_for_url("**start=*")
    go(window, "/s/plain/talk-00000?words=price")
    told(window, "Words in it")
    window.locator(".turn").get_by_role("link", name="remember").first.click()
    window.locator("#title").fill("Out of a conversation")
    press(window, "Remember")
    told(window, "saved: Out of a conversation.")
    press(window, "Learn nothing from it")
    told(window, "Nothing is learnt from it any more.")


def test_why_time_and_around(window, life):
    """Of a question it is told why it was answered so; a bar of a day leads to what it counts; a point of a drawing to its memory."""
    go(window, "/why")
    window.locator("main .entry a").first.click()
    window.get_by_label("This should have been shown").fill("Kettle")
    press(window, "Why was it not shown?")
    window.locator(".notice", has_text="Kettle").wait_for()
    go(window, "/time")
    window.locator("svg.days a").last.focus()
    window.keyboard.press("Enter")
    window.wait_for_url("**/find?since=*")
    with open_memory(life) as memory:
        linked = next(one for one in memory.notes.list(300) if memory.notes.links(one.key, limit=3))
    go(window, f"/m/{linked.key.removeprefix('memory://')}/around")
    window.locator("svg.around a").last.focus()
    window.keyboard.press("Enter")
    window.locator("article.memory").wait_for()


def test_many(window):
    """Many are put away while one sees how far it is, one undo brings them back; others are forgotten for good, with proof."""
    go(window, "/find?kind=task&project=shop&status=active")
    window.get_by_role("link", name="Put all of these away").click()
    window.get_by_label("Type DELETE").fill("DELETE")
    press(window, "Do it")
    window.locator("main").get_by_role("button", name="Undo").wait_for(timeout=120_000)
    press(window, "Undo")
    window.get_by_text(re.compile(r"(Steps taken back: \d+\.|Taken back: archive\.)$")).first.wait_for(timeout=120_000)
    go(window, "/find?kind=fact&project=house&tag=weekly")
    window.get_by_role("link", name="Forget all of these").click()
    window.get_by_label("Type FORGET").fill("FORGET")
    press(window, "Do it")
    window.get_by_text(re.compile("Searched for their words|STILL")).first.wait_for(timeout=240_000)


def test_no_page_is_large(window, life):
    """No page of this life has more than 150 KB."""
    one = memory_of(life, status=("active",)).key.removeprefix("memory://")
    for path in ("/", "/inbox", "/find", "/s", "/s/plain/talk-00000", "/why", "/time", "/health", "/settings", f"/m/{one}"):
        go(window, path)
    large = {address: size for address, size in window.sizes.items() if size > LARGEST and "/static/" not in address}
    assert large == {}
