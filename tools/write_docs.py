"""Writes the pages of docs/ that are made from the code, and what is made of the patterns of languages."""

from pathlib import Path

from hosts_page import reference_page as hosts_page
from needed_words import write as write_needed_words
from reference_pages import commands_page, http_page, mcp_page, settings_page
from upgrading_page import upgrading_page
from vademecum_bench.page import write_page as write_benchmarks
from vademecum_bench.peers.page import write_page as write_comparison

DOCS = Path(__file__).parent.parent / "docs"

(DOCS / "settings.md").write_text(settings_page(), encoding="utf-8")
(DOCS / "commands.md").write_text(commands_page(), encoding="utf-8")
(DOCS / "hosts.md").write_text(hosts_page(), encoding="utf-8")
(DOCS / "mcp.md").write_text(mcp_page(), encoding="utf-8")
(DOCS / "upgrading.md").write_text(upgrading_page(), encoding="utf-8")
(DOCS / "http.md").write_text(http_page(), encoding="utf-8")
write_benchmarks()
write_needed_words()
write_comparison()
