"""`vade cleanup`."""

from vademecum.plugin_api.verbs import REQUIRED, Param, Verb
from vademecum.plugins.cleanup.cleanup import Cleanup, clean_up


def cleanup_text(result: Cleanup) -> str:
    """Return which files move, and which stay and why."""
    lines = [f"{'moved' if result.applied else 'would move'}: {name}" for name in result.old]
    lines += [f"stays: {name} (it has content that the folder beside it lacks)" for name in result.differing]
    if not lines:
        return "There is nothing to clean up."
    where = f"They are in {result.moved_to}." if result.applied else "Do it: vade cleanup FOLDER --apply"
    return "\n".join([*lines, *([where] if result.old else [])])


VERBS = (
    Verb("cleanup", "Move old formats of agents' memory files (NAME.md beside a folder NAME, and .md.bak) into a folder of their own.", (
        Param("folder", "text", "The folder of the agents' memories.", REQUIRED, place=True, named="place", max_chars=4000),
        Param("apply", "flag", "Do it; without this, only show what would be done.", False),
    ), lambda memory, folder, apply: clean_up(folder, apply, memory.context.clock.now()), cleanup_text,
    writes_with=("apply",), needs_enabled=False, agents=False),
)  # fmt: skip
