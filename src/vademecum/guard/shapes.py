"""Common shapes of secrets: a token with a known prefix, or a value after a known name."""

import re

from vademecum.guard.rule_matching import Rule

#: The end of a line after which a value stands: indented and itself no name of a value, or after a backslash.
WRAPPED = (
    r"""(?:(?:[|>][+\-]?)?\r?\n[ \t]{1,16}(?!["']?[\w.\-]{1,60}["']?[ \t]{0,4}[:=](?:\s|["'])|-[ \t])"""
    r"""|\\\r?\n[ \t]{0,16})"""
)

#: What may separate a name from its value: `"name": "`, `name=`, `name => '`, `name ?=`, `set("name", "`, `name string = "`,
#: the end of a tag, or one of these and the end of the line.
IS = (
    r"""(?:[\\"'`\])}]{0,4}[ \t]{0,16}(?:=>|->|[:?.+]{0,3}=|:{1,3}|：)[ \t]{0,16}"""
    + WRAPPED
    + r"""?(?:\\?["'`])?|["'`],[ \t]{0,4}["'`]"""
    r"""|[ \t]{1,3}(?:string|str)[ \t]{0,2}=[ \t]{0,2}["'`]|>\s{0,12})"""
)

#: The limits of a token, not the middle of a longer one. A single underscore around it is emphasis of Markdown.
END = r"(?![A-Za-z0-9\-]|_[\w\-])"
START = r"(?<![A-Za-z0-9\-])(?<![\w\-]_)"


def token(name: str, prefix: str, body: str, *more_prefixes: str, entropy: float = 0.0) -> Rule:
    """Return a rule for a token recognised by its prefix."""
    prefixes = (prefix, *more_prefixes)
    pattern = START + "(?:" + "|".join(map(re.escape, prefixes)) + ")" + body + END
    return Rule(name, tuple(each.lower() for each in prefixes), pattern, entropy, reach=0, dense=True)


def named(name: str, before: str, keywords: tuple[str, ...], body: str, entropy: float = 3.0) -> Rule:
    """Return a rule for a value without a form of its own, recognised by the name before it."""
    return Rule(name, keywords, rf"(?:{before})[\w.\-]{{0,24}}{IS}({body}){END}", entropy, re.IGNORECASE)
