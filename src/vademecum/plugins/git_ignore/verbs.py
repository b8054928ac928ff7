"""`vade gitignore`."""

from vademecum.plugin import on_context
from vademecum.plugin_api.verbs import Param, Verb
from vademecum.plugins.git_ignore.git_ignore import IgnoreMap, ignore_map


def ignore_text(result: IgnoreMap) -> str:
    """Return the missing lines, and whether they were added."""
    if not result.missing:
        return f"{result.path} is complete."
    done = f"Added to {result.path}:" if result.written else f"Missing in {result.path} (add them: vade gitignore --write):"
    return "\n".join([done, *(f"  {line}" for line in result.missing)])


VERBS = (
    Verb("gitignore", "Lines for the .gitignore of a memory folder: generated pages and temporary files.",
         (Param("write", "flag", "Add what is missing to .gitignore; its other lines stay.", False),),
         on_context(ignore_map), ignore_text, writes_with=("write",), agents=False),
)  # fmt: skip
