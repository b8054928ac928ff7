"""Writes the pages that are made from the code: docs/settings.md and docs/commands.md."""

from pathlib import Path

from vademecum.doors.reference import commands_page
from vademecum.settings import reference_page

DOCS = Path(__file__).parent.parent / "docs"

(DOCS / "settings.md").write_text(reference_page(), encoding="utf-8")
(DOCS / "commands.md").write_text(commands_page(), encoding="utf-8")
