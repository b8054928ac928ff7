"""`vade gitignore`."""

from vademecum.plugin import on_context
from vademecum.plugin_api.verbs import Param, Verb
from vademecum.plugins.git_ignore.git_ignore import IgnoreMap, ignore_map


def ignore_text(result: IgnoreMap) -> str:
    """Return the lines, and what became of them."""
    if not result.missing:
        return f"{result.path} has them all."
    done = f"Added to {result.path}:" if result.written else f"Missing in {result.path} (add them: vade gitignore --write):"
    return "\n".join([done, *(f"  {line}" for line in result.missing)])


VERBS = (
    Verb("gitignore", "What a repository that holds the memory folder should leave out: pages that are made anew, and leftovers.",
         (Param("write", "flag", "Add what is missing to .gitignore; its other lines stay.", False),),
         on_context(ignore_map), ignore_text, writes_with=("write",), agents=False),
)  # fmt: skip
