"""The pages in a real Chromium: hostile text does nothing, keys alone are enough, and everybody can read them."""

import json
import re
from pathlib import Path

import pytest

from tests.real.served_pages import browser, scripted, served, settled
from vademecum.domain.saved import SaveOptions
from vademecum.settings import Settings
from vademecum.wiring import open_memory

pytestmark = pytest.mark.slow

#: What somebody may have written into a memory, a note or a conversation to make a page do something.
HOSTILE = (
    "<script>document.title='ran'</script>",
    "<img src=x onerror=\"document.title='ran'\">",
    "<svg/onload=document.title='ran'>",
    "</textarea><script>document.title='ran'</script>",
    "</title><script>document.title='ran'</script>",
    '"><iframe srcdoc="<script>parent.document.title=\'ran\'</script>">',
    "[press](javascript:document.title='ran')",
    "[press](JaVaScRiPt&colon;document.title='ran')",
    "<javascript:document.title='ran'>",
    "[press](data:text/html,<script>document.title='ran'</script>)",
    "![picture](http://evil.test/seen.png)",
    "<link rel=stylesheet href=http://evil.test/style.css><style>@import 'http://evil.test/s.css';body{display:none}</style>",
    "<meta http-equiv=refresh content='0;url=http://evil.test/'>",
    "<form action=http://evil.test/><button>Undo</button></form>",
    "<div hx-get=/web/inbox hx-trigger=load data-hx-post=/web/do/undo data-hx-trigger=load>x</div>",
    "<base href=http://evil.test/>",
    "![[http://evil.test/note]] [[javascript:alert(1)|here]]",
    "[a]: http://evil.test/x \"onmouseover=document.title='ran'\"\n\n[a]",
    "`<script>document.title='ran'</script>` ```<script>document.title='ran'</script>",
    "\u202egnp.exe\u202c \u2066left\u2069 " + "ا" * 200,
    "x" * 30_000,
)


@pytest.fixture
def made(tmp_path):
    """Settings of an empty memory."""
    (tmp_path / "Vault" / "Vademecum").mkdir(parents=True)
    return Settings(
        home=str(tmp_path / "Vault" / "Vademecum"), data_dir=str(tmp_path / "data"), cache_dir=str(tmp_path / "cache"),
        device="test", embedder="none",
    )  # fmt: skip


def fill(settings):
    """Some memories, proposals and doubts."""
    with open_memory(settings) as memory:
        memory.notes.save("fact", "Kettle", "Descale the *kettle* monthly. See [how](https://example.org).")
        memory.notes.save(
            "decision", "A very long title that goes on and on " * 3, "We use SQLite.\n\n| a | b |\n|---|---|\n| 1 | 2 |"
        )
        memory.notes.save("fact", "عنوان طويل", "نص عربي with English.")
        memory.notes.save("fact", "Cup", "The cup is kept in the red box.")
        memory.notes.save("fact", "The cup", "The cup is kept in the blue box.")
        for number in range(3):
            memory.notes.save("fact", f"Lid {number}", f"The lid number {number} is kept in the red box.")
            memory.notes.edit(f"Lid {number}", properties={"status": "inbox"})
        memory.notes.evolve("Kettle", "hard water", "Descale the kettle weekly.")
        talk_about(
            memory, Path(settings.data_dir), ["We decided to use Helix for the shop because it is fast.", "And beans.", "Yes."]
        )


def every_page(settings):
    """Addresses of all pages, with the memories of the vault; of what waits the page that decides on it."""
    with open_memory(settings) as memory:
        standing, waiting = (
            [item.key.removeprefix("memory://") for item in memory.notes.list(100, status=status)]
            for status in (("active", "disputed"), ("inbox",))
        )
    own = [f"/web/m/{one}{part}" for one in standing for part in ("", "/edit", "/evolve", "/history", "/around", "/forget")]
    own += [f"/web/m/{one}" for one in waiting]
    talk = [
        "/web/s",
        "/web/s/plain/talk",
        "/web/s/plain/talk?keep=1&turn=1",
        "/web/s/plain/talk?words=document",
    ]
    lists = [
        "/web/",
        "/web/alarms",
        "/web/inbox",
        "/web/find",
        "/web/find?q=kettle",
        "/web/find?q=document&as_agent=1",
        "/web/why",
    ]
    many = [f"/web/many/{what}?kind=fact" for what in ("archive", "forget")]
    then = [f"/web{path}?at=2026-03-05" for path in ("/", "/inbox", "/find", "/time")]
    return [
        *lists,
        *talk,
        *many,
        *then,
        "/web/projects",
        "/web/jump?q=e",
        "/web/time",
        "/web/weeks",
        "/web/health",
        "/web/settings",
        "/web/hosts/claude-code",
        *own,
    ]


def talk_about(memory, folder, texts):
    """Let a memory know a conversation in which these texts were said."""
    lines = [{"id": str(at), "role": "user", "text": text, "time": "2026-03-01T10:00:00Z"} for at, text in enumerate(texts, 1)]
    (folder / "talk.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    memory.maintenance.capture((str(folder / "talk.jsonl"),))


def test_x52_hostile_text_does_nothing(made, tmp_path):
    """X-52: whatever stands in memories, on no page anything of it runs, is loaded, or changes where a form or link leads."""
    with open_memory(made) as memory:
        for number in range(0, len(HOSTILE), 3):  # three in one memory: each page of a memory takes a while
            texts = HOSTILE[number : number + 3]
            title, body = f"{number} {' '.join(text[:60] for text in texts)}", "\n\n".join(texts)
            memory.notes.save("fact", title, body, SaveOptions(unique=True))
            waiting = memory.notes.save("fact", f"waits {title}", body, SaveOptions(unique=True)).memory
            memory.notes.edit(waiting.id, properties={"status": "inbox"})
        talk_about(memory, tmp_path, HOSTILE)
    with served(made) as entrance, browser() as chrome:
        page, asked, said = chrome.new_page(), [], []
        page.on("request", lambda request: asked.append(request.url))
        page.on("response", lambda answer: said.append(answer.url) if answer.status >= 400 else None)
        page.on("dialog", lambda dialog: said.append(dialog.message))
        page.on("console", lambda message: said.append(message.text) if message.type == "error" else None)
        page.goto(entrance())
        base = page.url.removesuffix("/web/")
        for path in every_page(made):
            page.goto(base + path)
            assert page.title() != "ran", path
            assert (
                page.locator(
                    "iframe, img, object, embed, base, form form, main script, main style, main link, main meta"
                ).count()
                == 0
            )
            # Parts of a page come anew while it is looked at: all are read in one go, none is gone when its turn comes.
            links = page.locator("a[href]").evaluate_all("all => all.map(one => one.getAttribute('href'))")
            assert [link for link in links if not re.match(r"/web|#|https?://|mailto:", link)] == [], path
            actions = page.locator("form").evaluate_all(
                "all => all.map(one => one.getAttribute('action') || one.getAttribute('method') || '')"
            )
            assert [action for action in actions if action != "dialog" and not action.startswith("/web/")] == [], path
        assert {address for address in asked if not address.startswith(base)} == set()
        assert said == []


def test_keys_alone_in_the_inbox(made):
    """IN-54: with keys alone one goes to the inbox, approves, undoes and rejects a group; focus is never lost."""
    fill(made)
    with served(made) as entrance, browser() as chrome:
        page = chrome.new_page()
        page.goto(entrance())
        scripted(page)
        page.keyboard.press("g")
        page.keyboard.press("i")
        page.get_by_role("heading", name="Inbox").wait_for()
        page.locator("#main:focus").wait_for()
        page.keyboard.press("j")
        page.locator("[aria-label^=Lid]:focus").wait_for()
        page.locator("#similar").first.wait_for()
        page.keyboard.press("a")
        page.get_by_text("Approved: Lid").wait_for()
        page.locator("[data-entry].at:focus").wait_for()
        page.keyboard.press("u")
        page.get_by_text("Taken back: approve").wait_for()
        page.locator("[data-entry].at:focus").wait_for()
        page.keyboard.press("j")
        page.keyboard.press("R")
        page.get_by_text("Rejected: 3").wait_for()


def test_keys_alone_to_a_memory(made):
    """IN-54: with keys alone one searches, opens, edits and goes elsewhere; focus is where one types next."""
    fill(made)
    with served(made) as entrance, browser() as chrome:
        page = chrome.new_page()
        page.goto(entrance())
        scripted(page)
        page.keyboard.press("/")
        page.keyboard.type("kettle")
        page.keyboard.press("Enter")
        page.wait_for_url("**/web/find?q=kettle")
        page.get_by_role("heading", name="Search", exact=True).wait_for()
        page.locator("#q:focus").wait_for()
        page.keyboard.press("Escape")
        page.keyboard.press("j")
        page.locator("[data-entry].at").wait_for()
        page.keyboard.press("Enter")
        page.locator("article.memory").wait_for()
        page.locator("#main:focus").wait_for()
        page.keyboard.press("e")
        page.locator("#body:focus").wait_for()
        page.keyboard.press("Control+End")
        page.keyboard.type(" Really.")
        page.keyboard.press("Control+Enter")
        page.get_by_text("Saved: Kettle").wait_for()
        page.locator("main", has_text="Really.").wait_for()
        page.locator("#main:focus").wait_for()
        page.keyboard.press("Control+k")
        page.locator("#palette input:focus").wait_for()
        page.keyboard.type("inb")
        page.keyboard.press("Enter")
        page.wait_for_url("**/web/inbox")
        page.go_back()
        page.wait_for_url("**/web/m/*")
        page.locator("article.memory", has_text="Really.").wait_for()
        page.keyboard.press("Control+k")
        page.locator("#palette input:focus").wait_for()
        page.keyboard.type("very lo")
        page.locator("#palette li", has_text="A very long title").wait_for()
        page.keyboard.press("Enter")
        page.get_by_role("heading", name="A very long title").wait_for()


def test_typed_text_outlives_the_helper(made):
    """A helper that dies while somebody types loses nothing: the text stays on the page, and comes back with it."""
    fill(made)
    with browser() as chrome:
        page = chrome.new_page()
        with served(made) as entrance:
            page.goto(entrance())
            page.goto(page.url + "find?q=kettle")
            page.locator("main .entry a").first.click()
            page.locator('[data-key="e"]').click()
            page.wait_for_url("**/edit")
            page.locator("#body").fill("What I typed.")
        page.get_by_role("button", name="Save").click()
        page.get_by_text("What you typed is still here").wait_for()
        assert page.locator("#body").input_value() == "What I typed."


def test_without_a_script(made):
    """Reading, finding, editing and deciding work in a browser that runs no script."""
    fill(made)
    with served(made) as entrance, browser() as chrome:
        page = chrome.new_context(java_script_enabled=False).new_page()
        page.goto(entrance())
        page.get_by_role("link", name="Inbox").click()
        page.get_by_role("button", name="Approve").nth(1).click()
        page.get_by_text("Approved: Lid").wait_for()
        page.get_by_role("searchbox").first.fill("kettle")
        page.get_by_role("searchbox").first.press("Enter")
        page.locator("main .entry a").first.click()
        page.get_by_role("link", name="Edit").click()
        page.locator("#body").fill("Descale it.")
        page.get_by_role("button", name="Save").click()
        page.get_by_text("Descale it.").first.wait_for()


#: What of axe's rules looks at colours, by which alone the themes differ.
OF_COLOURS = ["color-contrast", "link-in-text-block"]


def test_for_everybody(made):
    """WCAG 2.2 AA by axe on every page in both themes; nothing runs over at 320 pixels, which is 200 % of a narrow window."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    levels = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
    fill(made)
    with served(made) as entrance, browser() as chrome:
        # No colour on its way from one theme to the other is looked at.
        context = chrome.new_context(reduced_motion="reduce", bypass_csp=True)
        page = context.new_page()
        page.goto(entrance())
        base = page.url.removesuffix("/web/")
        for path in every_page(made)[:30]:  # each kind of page, and of one memory all
            page.emulate_media(color_scheme="light")
            page.goto(base + path)
            settled(page)
            page.set_viewport_size({"width": 1000, "height": 800})
            for scheme, rules in (("light", levels), ("dark", OF_COLOURS)):
                page.emulate_media(color_scheme=scheme)
                found = axe.run(page, options={"runOnly": rules}).response
                assert [(one["id"], one["nodes"][0]["html"]) for one in found["violations"]] == [], (path, scheme)
                assert any(one["id"] in OF_COLOURS for one in found["passes"]), (path, scheme)
            page.set_viewport_size({"width": 320, "height": 700})
            assert page.evaluate("document.documentElement.scrollWidth") <= 320, path
