"""Plugin registration."""

from vademecum.plugin import Plugin, Setting, rows_in

PLUGIN = Plugin(
    name="retention",
    about="Archives what is old, or least used above a number. Off unless set; nothing is ever deleted.",
    settings=(
        Setting(
            "retention",
            (),
            "What is archived: day_notes=90 moves older notes of days to _daily/archive, at twice the age if they were not read yet;"
            " events=365 archives older events; memories=5000 archives the least used above the number.",
            "days or memories",
        ),
    ),
    jobs=rows_in("vademecum.plugins.retention.retention", "JOBS"),
)
