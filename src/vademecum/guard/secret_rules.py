"""Rules for the formats of secrets, read from `secrets.tsv`, whose header explains the columns.

Tests contain an invented example per row.
"""

import re
from pathlib import Path

from vademecum.domain.guarding import MARKED_PRIVATE
from vademecum.guard.place_rules import PLACE_RULES
from vademecum.guard.rule_matching import Rule
from vademecum.guard.shapes import END, START, named, token

_FLAGS = {"any-case": re.IGNORECASE, "lines": re.DOTALL}
_PLACES = {"{START}": START, "{END}": END, "{UUID}": r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"}


def _rule(line: str) -> Rule:
    """Return a line of the file as a rule."""
    name, shape, words, before, body, least, options = (line.split("\t") + [""] * 6)[:7]
    keywords, entropy = tuple(words.split()), float(least or 0)
    for place, pattern in _PLACES.items():
        body = body.replace(place, pattern)
    if shape == "token":
        return token(name, keywords[0], body, *keywords[1:], entropy=entropy)
    if shape == "named":
        return named(name, before, keywords, body, entropy)
    chosen = options.split()
    flags = sum(flag for word, flag in _FLAGS.items() if word in chosen)
    reach = next((int(word.removeprefix("reach=")) for word in chosen if word.startswith("reach=")), 64)
    return Rule(name, keywords, body, entropy, flags, reach=reach, dense="dense" in chosen)


_LINES = Path(__file__).with_name("secrets.tsv").read_text(encoding="utf-8").splitlines()

SECRET_RULES: tuple[Rule, ...] = (*(_rule(line) for line in _LINES if line and not line.startswith("#")), *PLACE_RULES)

#: Text that the person marked as private, of any length; without an end mark, everything that follows. Quoted marks do not
#: count.
MARKED = Rule(
    MARKED_PRIVATE, ("<private>",), r"(?<![`\w])<private>(?!`).*?(?:</private>|\Z)", flags=re.IGNORECASE | re.DOTALL, reach=0
)

#: All rules for text that must not be stored.
KEPT_OUT: tuple[Rule, ...] = (*SECRET_RULES, MARKED)
