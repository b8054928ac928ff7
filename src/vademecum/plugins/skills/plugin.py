"""Plugin registration."""

from vademecum.plugin import Plugin, Setting, rows_in

PLUGIN = Plugin(
    name="skills",
    about="Pointers to your skills, and a watchlist of those that others published.",
    settings=(
        Setting(
            "skill_sources",
            (),
            "Lists of skills: published ones (Markdown), read once a week where research is on; what is new waits for you.",
            "URLs",
        ),
    ),
    verbs=rows_in("vademecum.plugins.skills.verbs", "VERBS"),
    words="skills",
    first_words={"skills": "Skills: point to your own (index), watch those of others (discover, judge, watchlist)."},
    menu={"Capture": "skills"},
    examples="""
skills index: skills index
skills index: skills index skills --repo tools
skills discover: skills discover
skills discover: skills discover --dry-run
skills watchlist: skills watchlist
skills watchlist: skills watchlist 8ZSWGM5N defer --days 30
""",
    jobs=rows_in("vademecum.plugins.skills.jobs", "JOBS"),
)
