"""N8 on the pages: what a memory names of its project's repository is looked for there when its page is opened."""

from tests.entrypoints.test_code_since import change, shop  # noqa: F401 -- a fixture
from tests.plugins.pages.test_pages import words

from vademecum.domain.host import HookEvent


def test_code_that_is_gone(browse, shop):  # noqa: F811
    """A memory's page says that a file it names has moved since; of code that stands it says that nothing is known to have changed."""

    def worked(memory):
        memory.sessions.record(HookEvent("claude-code", "start", "SessionStart", "s1", str(shop)))
        memory.notes.save("fact", "Counting", "Payments are counted by src/stock.py at night.", project="shop")
        memory.notes.save("fact", "Queue", "Payments wait in src/jobs/queue.py.", project="shop")
        memory.notes.save("fact", "Kettle", "Descale it.", project="shop")
        change(shop)

    async def walk(browser):
        return {
            title: [words(await browser.get(f"/web/m/{title}{more}")) for more in ("", "/code")]
            for title in ("Counting", "Queue", "Kettle")
        }

    seen = browse(walk, worked)
    assert "Does the code that it names still stand?" in seen["Counting"][0]
    assert "src/stock.py moved to src/jobs/warehouse.py" in seen["Counting"][1]
    assert "No code that it names is known to be deleted" in seen["Queue"][1]
    assert "still stand?" not in seen["Kettle"][0]


def test_code_of_nowhere(browse):
    """Where nobody worked in the project's folder on this device nothing is said of its code."""

    def elsewhere(memory):
        memory.notes.save("fact", "Counting", "Payments are counted by src/stock.py at night.", project="shop")

    async def walk(browser):
        return words(await browser.get("/web/m/Counting/code"))

    assert "No code that it names is known to be deleted" in browse(walk, elsewhere)
