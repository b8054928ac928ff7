"""Plugin registration."""

from vademecum.plugin import Plugin, Setting, rows_in

PLUGIN = Plugin(
    name="addresses",
    about="Gives each wiki page a number that never changes, such as c-000012. Off unless set.",
    settings=(
        Setting("page_addresses", False, "Pages of the wiki get an address in their frontmatter, by which they are found."),
    ),
    jobs=rows_in("vademecum.plugins.addresses.addresses", "JOBS"),
)
