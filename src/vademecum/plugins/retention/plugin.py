"""What this plugin adds."""

from vademecum.plugin import Plugin, Setting, rows_in

PLUGIN = Plugin(
    name="retention",
    about="Archives what is old, or least used above a number. Off unless set; nothing is ever deleted.",
    settings=(
        Setting(
            "retention_day_notes",
            0,
            "Notes of days that are older move to _daily/archive, at twice the age where nobody has read them yet. 0: never.",
            unit="days",
        ),
        Setting("retention_events", 0, "Memories of kind event that are older go to the archive. 0: never.", unit="days"),
        Setting(
            "retention_memories",
            0,
            "With more active memories the least used go to the archive: events, what worked, then decisions. 0: never.",
            unit="memories",
        ),
    ),
    jobs=rows_in("vademecum.plugins.retention.retention", "JOBS"),
)
