"""Plugin registration."""

from vademecum.plugin import Plugin, rows_in

PLUGIN = Plugin(
    name="canvas",
    about="How a memory was made, as a drawing for Obsidian.",
    verbs=rows_in("vademecum.plugins.canvas.verbs", "VERBS"),
    words="canvas",
    menu={"Look": "canvas"},
    examples="""
canvas: canvas "Redis port"
canvas: canvas 8ZSWGM5N --limit 10
""",
)
