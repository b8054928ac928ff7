"""N19: the same memory with three faces: the terminal, agents over MCP and HTTP, and the pages."""

import json
import re

import pytest

pytest.importorskip("htpy")

from mcp import Client
from tests.entrypoints.http.test_http import TOKEN
from tests.plugins.pages.conftest import Browser, travelling

from vademecum.entrypoints.http.access import Access
from vademecum.entrypoints.http.app import build_app
from vademecum.entrypoints.mcp.own_thread import OwnThread
from vademecum.entrypoints.mcp.server import Rules, build_server
from vademecum.plugins.pages.browser_keys import browser_keys
from vademecum.plugins.pages.late import LatePages
from vademecum.plugins.pages.machine import Machine, is_page
from vademecum.wiring import load_settings, open_memory, system_clock


class Faces:
    """One memory from each side; `texts` tells what each shows of a memory."""

    def __init__(self, person, app, browser, agent):
        self.person, self.app, self.browser, self.agent = person, app, browser, agent

    async def texts(self, key):
        """What is the text of a memory: in the terminal, over MCP, over HTTP, on its page (as typed for editing)."""
        over_mcp = await self.agent.call_tool("read_memory", {"id": key})
        over_http = await self.browser.ask("GET", f"/v1/show?ref={key}", authorization=f"Bearer {TOKEN}", cookie=None)
        on_page = re.search(r"<textarea[^>]*>\n?(.*?)</textarea>", await self.browser.get(f"/web/m/{key}/edit"), re.S)[1]
        in_terminal = json.loads(self.person("show", key, "--json"))
        told = in_terminal["body"], over_mcp.structured_content["text"], over_http.value["body"], on_page
        return [one.strip() for one in told]


@pytest.fixture
def faced(person, run):
    """Runs a coroutine of somebody who looks from every side: `faced(walk)`."""

    def walked(walk):
        settings = load_settings()
        keys = browser_keys(settings, system_clock())

        async def whole():
            async with OwnThread(lambda: open_memory(settings)) as call:
                pages = LatePages(travelling(call), keys, Machine(settings))
                app = build_app(call, Access(TOKEN), now=lambda: 0.0, beside=[(is_page, pages)])
                browser = Browser(app, keys)
                await browser.enter()
                async with Client(build_server(call, Rules())) as agent:
                    return await walk(Faces(person, app, browser, agent))

        return run(whole())

    return walked


def test_n19_one_memory_three_faces(faced):
    """N19: what one face saves, changes or puts away stands at once in all the others: nothing is kept per door.
    What an agent would change of the person's stands when the person, at any door, approves it."""

    async def walk(faces):
        key = json.loads(faces.person("save", "fact", "Kettle", "--body", "Descale it in spring.", "--json"))["memory"]["id"]
        faces.person("save", "fact", "Teapot", "--body", "Rinse it.")
        seen = [await faces.texts(key)]
        await faces.browser.press("Save", body="Descale it in May.")
        seen.append(await faces.texts(key))
        changed = await faces.agent.call_tool("update_memory", {"id": key, "content": "Descale it in June."})
        assert not changed.is_error, changed.content
        seen.append(await faces.texts(key))  # the person's own waits for the person
        waiting = changed.structured_content["id"].removeprefix("memory://")
        faces.person("review", waiting, "approve")
        seen.append(await faces.texts(waiting))
        await faces.browser.get(f"/web/m/{waiting}")
        await faces.browser.press("Put away")
        over_mcp = await faces.agent.call_tool("list_memories", {"status": "active"})
        return seen, faces.person("list", "--status", "active"), over_mcp.content[0].text

    seen, in_terminal, over_mcp = faced(walk)
    assert seen == [[f"Descale it in {month}."] * 4 for month in ("spring", "May", "May", "June")]
    for told in (in_terminal, over_mcp):
        assert "Teapot" in told
        assert "Kettle" not in told
