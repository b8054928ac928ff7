"""Names of agents, which become names of folders."""

import re

from vademecum.domain.errors import InvalidInput

_NAME = re.compile(r"\w[^/\\\x00-\x1f\x7f]{0,79}")


def agent_named(word: str) -> str:
    """Return the name of an agent with normalised white space.

    Raises:
        InvalidInput: it contains path separators or control characters, or does not begin with a letter or digit.
    """
    name = " ".join(word.split())
    if not _NAME.fullmatch(name):
        raise InvalidInput(
            f"{word[:80]!r} cannot name an agent.", "Begin with a letter or digit, without slashes: dev, bmad-master."
        )
    return name
