"""Pictures of the pages in both themes, for docs/images: `python tools/screenshots.py [FOLDER]`. Takes about two minutes.

They show a made-up life (`vademecum_bench.life`) in a real Chromium; FOLDER keeps that life for the next time.
"""

import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from tests.real.served_pages import browser, served, settled  # noqa: E402 -- the root of the project must be known first

from vademecum.settings import Settings  # noqa: E402
from vademecum.wiring import open_memory  # noqa: E402
from vademecum_bench.life import lived  # noqa: E402

IMAGES = ROOT / "docs" / "images"
WIDE, HIGH = 1120, 800


def settings_in(folder: Path) -> Settings:
    """Settings of a life in a folder, made there when it is not."""
    (folder / "Memory").mkdir(parents=True, exist_ok=True)
    made = Settings(
        home=str(folder / "Memory"), data_dir=str(folder / "data"), cache_dir=str(folder / "cache"),
        device="laptop",
    )  # fmt: skip
    if not (folder / "talk").exists():
        with open_memory(made) as memory:
            lived(memory, folder / "Memory", folder / "talk", memories=2000, sessions=3000)
    return made


def addresses(settings: Settings) -> Iterator[tuple[str, str]]:
    """Yield the name of a picture and the address that it shows."""
    with open_memory(settings) as memory:
        sessions = memory.maintenance.told().sessions
        told = [item for one in sessions for item in one.told]
        linked = max(told, key=lambda item: len(memory.notes.links(item.key, hops=2, limit=30)))
        session = sessions[0].session
        asked = memory.recall.asked(1)[0].trace
    identity = linked.key.removeprefix("memory://")
    yield from {
        "today": "/", "inbox": "/inbox", "find": "/find?kind=decision", "memory": f"/m/{identity}", "around": f"/m/{identity}/around",
        "sessions": "/s", "session": f"/s/{session.removeprefix('session://')}", "why": f"/why/{asked}", "time": "/time",
        "health": "/health", "settings": "/settings",
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
