"""Pictures of the pages in both themes, for docs/images: `python tools/screenshots.py`. Takes about a minute.

They show a made-up life (`sample_life.py`) in a real Chromium; `--life FOLDER` keeps that life for the next time. To look at other sizes
without touching the documentation: `--out FOLDER --width 390`, several times for several widths. What a page may not do (scroll sideways,
weigh more than 100 KB) is said.
"""

import argparse
import os
import sys
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from playwright.sync_api import Page  # noqa: E402
from tests.real.served_pages import browser, served, settled  # noqa: E402 -- the root of the project must be known first

from sample_life import lived  # noqa: E402
from vademecum.settings import Settings  # noqa: E402
from vademecum.wiring import open_memory  # noqa: E402

IMAGES = ROOT / "docs" / "images"
WIDE, HIGH = 1280, 860
MOST_BYTES = 100_000


def settings_in(folder: Path) -> Settings:
    """Settings of a life in a folder, made there when it is not."""
    (folder / "Memory").mkdir(parents=True, exist_ok=True)
    made = Settings(
        home=str(folder / "Memory"), data_dir=str(folder / "data"), cache_dir=str(folder / "cache"),
        device="laptop",
    )  # fmt: skip
    if not (folder / "talks").exists():
        lived(made, datetime.now(UTC))
    return made


def addresses(settings: Settings) -> Iterator[tuple[str, str]]:
    """Yield the name of a picture and the address that it shows."""
    with open_memory(settings) as memory:
        identity = memory.notes.get("PostgreSQL for orders").id
        session = memory.notes.list(1, source=("session",))[0].key.removeprefix("session://")
        asked = memory.recall.asked(1)[0].trace
    yield from {
        "home": "/", "inbox": "/inbox", "search": "/find?q=which database holds our orders?", "projects": "/projects",
        "memory": f"/m/{identity}", "edit": f"/m/{identity}/edit", "around": f"/m/{identity}/around", "sessions": "/s",
        "session": f"/s/{session}", "answers": "/why", "answer": f"/why/{asked}", "timeline": "/time", "weeks": "/weeks",
        "health": "/health", "settings": "/settings",
    }.items()  # fmt: skip


def come_into_view(page: Page) -> None:
    """Let the parts of a page load that load when they are seen, and return to its top."""
    parts = page.locator("[data-hx-trigger^=intersect]")
    for number in range(parts.count()):
        parts.nth(number).scroll_into_view_if_needed()
        parts.nth(number).locator("#similar").wait_for()
    page.evaluate("scrollTo(0, 0)")


def main() -> None:
    """Make the pictures."""
    taken = argparse.ArgumentParser(description="Pictures of the pages of vade web, in both themes.")
    taken.add_argument("--life", type=Path, help="folder that keeps the made-up life")
    taken.add_argument("--out", type=Path, default=IMAGES, help="folder of the pictures")
    taken.add_argument("--width", type=int, action="append", help="width of the window in pixels")
    given = taken.parse_args()
    os.environ["HOME"] = "/tmp/me"  # it stands on the pages
    with tempfile.TemporaryDirectory() as passing:
        settings = settings_in(given.life or Path(passing))
        wanted = dict(addresses(settings))
        given.out.mkdir(exist_ok=True, parents=True)
        with served(settings) as entrance, browser() as chrome:
            for scheme in ("light", "dark"):
                for width in given.width or [WIDE]:
                    page = chrome.new_context(color_scheme=scheme, viewport={"width": width, "height": HIGH}).new_page()
                    page.goto(entrance())
                    base = page.url.removesuffix("/")
                    for name, address in wanted.items():
                        answer = page.goto(base + address)
                        settled(page)
                        come_into_view(page)
                        sideways = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
                        if sideways > 0 or len(answer.body()) > MOST_BYTES:
                            print(f"{name} at {width}: {sideways} px sideways, {len(answer.body())} bytes")
                        size = "" if given.out == IMAGES else f"-{width}"
                        page.screenshot(path=given.out / f"{name}-{scheme}{size}.png")


if __name__ == "__main__":
    main()
