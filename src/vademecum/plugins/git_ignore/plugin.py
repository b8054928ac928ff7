"""Plugin registration."""

from vademecum.plugin import Plugin, rows_in

PLUGIN = Plugin(
    name="git_ignore",
    about="Writes a .gitignore for a memory folder under version control; it excludes generated pages and temporary files.",
    verbs=rows_in("vademecum.plugins.git_ignore.verbs", "VERBS"),
    words="gitignore",
    menu={"Maintain": "gitignore"},
    examples="""
gitignore: gitignore
gitignore: gitignore --write
""",
)
