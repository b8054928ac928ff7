"""Plugin registration."""

from vademecum.plugin import Plugin, rows_in

PLUGIN = Plugin(
    name="threads",
    about="Closes open tasks when a session says that they are done.",
    verbs=rows_in("vademecum.plugins.threads.verbs", "VERBS"),
    words="list",
    jobs=rows_in("vademecum.plugins.threads.threads", "JOBS"),
)
