"""The documentation as a site: `make site` writes it to .build/site with Sphinx, MyST and Furo. Its pages load nothing from elsewhere.

Pages are plain Markdown, as a repository's page shows them, so the order of the pages stands here.
"""

import re
import shutil
from pathlib import Path

DOCS = Path(__file__).parent
ROOT = DOCS.parent

project = "Vademecum"
author = "The Vademecum maintainers"
copyright = "The Vademecum maintainers, Apache-2.0"  # noqa: A001 -- a name of Sphinx
extensions = ["myst_parser"]
exclude_patterns = ["images", "static"]
root_doc = "README"
language = "en"

myst_heading_anchors = 4
myst_links_external_new_tab = False
suppress_warnings = ["myst.header", "misc.highlighting_failure"]
highlight_language = "none"

html_theme = "furo"
html_title = "Vademecum"
html_logo = str(next((ROOT / "src" / "vademecum").rglob("static/icon.svg")))
html_favicon = html_logo
html_static_path = ["static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
html_show_sphinx = False
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#3451c7", "color-brand-content": "#3451c7"},
    "dark_css_variables": {
        "color-brand-primary": "#93a9ff",
        "color-brand-content": "#93a9ff",
        "color-brand-visited": "#93a9ff",
    },
}

#: Page -> the pages below it in the navigation, by heading. A page that stands nowhere fails `make site`.
NAVIGATION = {
    "README": {
        "Use": (
            "getting-started", "everyday", "hosts", "actions", "privacy", "learning", "web", "vault-in-obsidian", "syncing", "backup",
            "moving", "projects", "branches", "team", "telemetry", "upgrading", "troubleshooting", "limits",
        ),
        "Look up": (
            "commands", "settings", "vault-format", "mcp", "http", "wiki", "sessions", "transcripts", "languages", "platforms",
            "security", "glossary",
        ),
        "Develop": ("architecture", "decisions", "plugins", "benchmarks", "ledger", "measurements/README"),
    },
    "measurements/README": {"Measurements": tuple(
        f"/measurements/{path.stem}" for path in sorted((DOCS / "measurements").glob("*.md")) if path.stem != "README"
    )},
}  # fmt: skip
LINK = re.compile(r"(?<!!)\[([^\]]+)\]\((?![a-z]+:|#)([^)#\s]+)(#[^)\s]*)?\)")


def with_navigation(_app, name, source):
    """Add the pages below a page, and name files that the site does not hold instead of linking to them."""
    folder = (DOCS / name).parent

    def outside(link):
        target = (folder / link[2]).resolve()
        return link[0] if target.is_relative_to(DOCS) or not target.exists() else f"{link[1]} (`{target.relative_to(ROOT)}`)"

    source[0] = LINK.sub(outside, source[0])
    for heading, pages in NAVIGATION.get(name, {}).items():
        source[0] += "\n".join(["", "", "```{toctree}", ":hidden:", f":caption: {heading}", *pages, "```", ""])


def with_index(app, exception):
    """Let the folder itself open at its first page."""
    if exception is None and app.builder.format == "html":
        shutil.copyfile(Path(app.outdir) / "README.html", Path(app.outdir) / "index.html")


def setup(app):
    """Connect both to Sphinx."""
    app.connect("source-read", with_navigation)
    app.connect("build-finished", with_index)
