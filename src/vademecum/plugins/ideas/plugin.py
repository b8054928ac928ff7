"""Plugin registration."""

from vademecum.plugin import Plugin, late, rows_in

PLUGIN = Plugin(
    name="ideas",
    about="Open ideas: capture them, list them in Ideas.md, look them up on the web, make projects of them, tidy them.",
    verbs=rows_in("vademecum.plugins.ideas.verbs", "VERBS"),
    words="idea",
    first_words={"idea": "Ideas: capture one (vade idea TITLE), list them, look them up, make one a project, tidy old ones."},
    usual={"idea": "add"},
    menu={"Everyday": "idea"},
    examples="""
idea add: idea add "A map of the garden"
idea add: idea add "A map of the garden" --pitch "Beds as polygons."
idea list: idea list
idea list: idea list --json
idea research: idea research "A map of the garden"
idea research: idea research 8ZSWGM5N --urls https://example.org/maps
idea promote: idea promote "A map of the garden"
idea promote: idea promote 8ZSWGM5N --slug garden-map
idea gc: idea gc
idea gc: idea gc 8ZSWGM5N keep
""",
    after_review=late("vademecum.plugins.ideas.ideas", "with_ideas"),
    after_sitting=late("vademecum.plugins.ideas.ideas", "offered"),
)
