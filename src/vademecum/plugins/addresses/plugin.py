"""Plugin registration."""

from vademecum.plugin import Plugin, Setting, rows_in

PLUGIN = Plugin(
    name="addresses",
    about="Gives each wiki page a number that never changes, such as c-000012. Off unless set.",
    settings=(
        Setting("page_addresses", False, "Addresses of wiki pages: each gets one in its frontmatter, by which it is found."),
    ),
    jobs=rows_in("vademecum.plugins.addresses.addresses", "JOBS"),
)
