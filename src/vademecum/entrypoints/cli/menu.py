"""The groups of `vade --help`: by what a person wants to do, with the everyday commands explained."""

from collections.abc import Mapping

from msgspec import Struct

from vademecum.plugin import plugins


class Section(Struct, frozen=True):
    """Commands for one purpose. explained: the everyday ones, in order. named: the others, which the help only names."""

    explained: tuple[str, ...]
    named: tuple[str, ...]


def _section(explained: str, named: str) -> Section:
    return Section(tuple(explained.split()), tuple(named.split()))


#: Title of a group -> our commands. With those of plugins twelve are explained on the first screen; each command is in one group.
_OWN: Mapping[str, Section] = {
    "Everyday": _section("save recall", "inbox search handoff briefing"),
    "Look": _section(
        "list show why",
        "status history links log topics questions project benefit",
    ),
    "Correct": _section(
        "edit undo forget",
        "evolve confirm archive restore supersede settle move tag link review-all rule compact",
    ),
    "Capture": _section(
        "review",
        "capture process sessions conversations reader sources watch",
    ),
    "Connect": _section("setup", "install init uninstall mcp serve stop completion"),
    "Maintain": _section(
        "doctor",
        "settings sync rebuild guard jobs pause resume off on demo",
    ),
    "For agents": _section("", "agent"),
}


def _with_plugins(title: str, section: Section) -> Section:
    added = [name for plugin in plugins() for name in plugin.menu.get(title, "").split()]
    first = (name[1:] for name in added if name.startswith("+"))
    return Section((*section.explained, *first), (*section.named, *(name for name in added if not name.startswith("+"))))


#: Title of a group -> its commands, with those that plugins add. Commands of a plugin that names no group are listed last.
MENU: Mapping[str, Section] = {title: _with_plugins(title, section) for title, section in _OWN.items()}
