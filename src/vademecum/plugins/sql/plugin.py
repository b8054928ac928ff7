"""Plugin registration."""

from vademecum.plugin import Plugin, rows_in

PLUGIN = Plugin(
    name="sql",
    about="SQL statements about memory, for reading only.",
    verbs=rows_in("vademecum.plugins.sql.verbs", "VERBS"),
    words="sql",
    menu={"Look": "sql"},
    examples="""
sql: sql "select kind, count(*) from memories group by kind"
sql: sql "select title from memories" --limit 5
""",
)
