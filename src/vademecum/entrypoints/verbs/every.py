"""Every verb, ours and those of the installed plugins, in one table."""

import copyreg
import importlib

from vademecum.entrypoints.verbs.table import WORDS
from vademecum.entrypoints.verbs.verb import Verb, joined
from vademecum.plugin import named, plugins

_GROUPS = tuple(importlib.import_module(f"vademecum.entrypoints.verbs.{name}") for name in WORDS)

#: Verbs of the core.
OWN: tuple[Verb, ...] = tuple(verb for group in _GROUPS for verb in group.VERBS)
_ROWS: tuple[Verb, ...] = (*OWN, *named("verbs", OWN, lambda verb: verb.name))
#: Verbs of the core and of the installed plugins.
VERBS: tuple[Verb, ...] = tuple(joined(_ROWS))

_BY_NAME = {verb.name: verb for verb in (*_ROWS, *VERBS)}


def verb_named(name: str) -> Verb:
    """Return the verb of this name; "list --count" names what `list` does with that flag.

    Raises:
        KeyError: there is none.
    """
    return _BY_NAME[name]


#: A verb is pickled by its name, because its functions cannot be pickled.
copyreg.pickle(Verb, lambda verb: (verb_named, (verb.name,)))

#: First word of two-word verbs -> what they are about.
FIRST_WORDS: dict[str, str] = {}
for _table in (*(plugin.first_words for plugin in plugins()), *(getattr(group, "FIRST_WORDS", {}) for group in _GROUPS)):
    FIRST_WORDS |= _table
#: First word of two-word verbs -> default second word.
USUAL: dict[str, str] = {}
for _table in (*(plugin.usual for plugin in plugins()), *(getattr(group, "USUAL", {}) for group in _GROUPS)):
    USUAL |= _table
