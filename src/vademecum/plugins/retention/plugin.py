"""What this plugin adds."""

from vademecum.plugin import Plugin, Setting, rows_in

PLUGIN = Plugin(
    name="retention",
    about="Archives what is old, or least used above a number. Off unless set; nothing is ever deleted.",
    settings=(
        Setting(
            "retention_day_notes",
            0,
            "Older notes of days move to _daily/archive, at twice the age if they were not read yet. 0: never.",
            unit="days",
        ),
        Setting("retention_events", 0, "Older memories of kind event are archived. 0: never.", unit="days"),
        Setting(
            "retention_memories",
            0,
            "With more active memories than this, the least used are archived: events, what worked, then decisions. 0: never.",
            unit="memories",
        ),
    ),
    jobs=rows_in("vademecum.plugins.retention.retention", "JOBS"),
)
