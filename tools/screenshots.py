"""Pictures of the pages in both themes, for docs/images: `python tools/screenshots.py [FOLDER]`. Takes about a minute.

They show a made-up life (`sample_life.py`) in a real Chromium; FOLDER keeps that life for the next time.
"""

import os
import sys
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from tests.real.served_pages import browser, served, settled  # noqa: E402 -- the root of the project must be known first

from sample_life import lived  # noqa: E402
from vademecum.settings import Settings  # noqa: E402
from vademecum.wiring import open_memory  # noqa: E402

IMAGES = ROOT / "docs" / "images"
WIDE, HIGH = 1280, 860


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
        "session": f"/s/{session}", "answers": "/why", "answer": f"/why/{asked}", "timeline": "/time", "health": "/health",
        "settings": "/settings",
    }.items()  # fmt: skip


def main() -> None:
    """Make the pictures."""
    os.environ["HOME"] = "/tmp/me"  # it stands on the pages
    with tempfile.TemporaryDirectory() as passing:
        settings = settings_in(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(passing))
        wanted = dict(addresses(settings))
        IMAGES.mkdir(exist_ok=True)
        with served(settings) as entrance, browser() as chrome:
            for scheme in ("light", "dark"):
                page = chrome.new_context(color_scheme=scheme, viewport={"width": WIDE, "height": HIGH}).new_page()
                page.goto(entrance())
                base = page.url.removesuffix("/")
                for name, address in wanted.items():
                    page.goto(base + address)
                    settled(page)
                    page.screenshot(path=IMAGES / f"{name}-{scheme}.png")


if __name__ == "__main__":
    main()
