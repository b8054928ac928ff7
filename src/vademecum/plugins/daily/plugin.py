"""Plugin registration."""

from vademecum.plugin import Plugin, late, rows_in

PLUGIN = Plugin(
    name="daily",
    about="Notes of days: what each conversation brought.",
    verbs=rows_in("vademecum.plugins.daily.verbs", "VERBS"),
    words="daily",
    menu={"Everyday": "daily"},
    examples="""
daily: daily
daily: daily yesterday
""",
    jobs=rows_in("vademecum.plugins.daily.extract", "JOBS"),
    after_session=late("vademecum.plugins.daily.notes", "write_days"),
)
