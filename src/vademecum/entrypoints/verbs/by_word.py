"""The verbs of one first word, for a command line: it imports no others."""

import importlib
from types import ModuleType

from vademecum.entrypoints.verbs.table import WORDS
from vademecum.entrypoints.verbs.verb import Verb, joined
from vademecum.plugin import named


def verbs_of(word: str) -> tuple[Verb, ...]:
    """Return the verbs whose names begin with this word, as the table of all has them; () if there are none."""
    own = [row for name, words in WORDS.items() if word in words.split() for row in _group(name).VERBS]
    added = named("verbs", own, lambda verb: verb.name, of=lambda plugin: not plugin.words or word in plugin.words.split())
    return tuple(joined(row for row in (*own, *added) if row.name.partition(" ")[0] == word))


def _group(name: str) -> ModuleType:
    return importlib.import_module(f"vademecum.entrypoints.verbs.{name}")
