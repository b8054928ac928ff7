"""Plugin registration."""

from vademecum.plugin import Plugin, rows_in

PLUGIN = Plugin(
    name="lists",
    about="Generated pages that look back or list: each week, what each agent is shown, the notes around the memory, the projects.",
    views=rows_in("vademecum.plugins.lists.lists", "VIEWS"),
)
