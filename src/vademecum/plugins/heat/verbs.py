"""`vade heat`."""

from vademecum.plugin import on_context
from vademecum.plugin_api.verbs import Param, Verb
from vademecum.plugins.heat.heat import SESSIONS, Heat, heat


def heat_text(result: Heat) -> str:
    """Return the share ever shown, and which memories to load at every start or no longer."""
    share = f" ({result.shown / result.memories:.0%})" if result.memories else ""
    lines = [
        f"{result.shown} of {result.memories} memories{share} were ever shown or found; {result.used} were used after that"
    ]
    if result.sessions < SESSIONS:
        return f"{lines[0]}\nToo few sessions to say more: {result.sessions} of {SESSIONS}."
    done = (
        ("now loaded at every start", "no longer loaded at every start")
        if result.applied
        else ("used often, could be loaded at every start", "cold")
    )
    for word, titles in zip(done, (result.hot, result.cold), strict=True):
        lines += [f"{word}: {title}" for title in titles]
    if not (result.hot or result.cold):
        return f"{lines[0]}\nAll that is loaded at every start is used; nothing to change."
    return "\n".join([*lines, "Take it back: vade undo" if result.applied else "Do it: vade heat --apply"])


VERBS = (
    Verb("heat",
         "How much of memory was shown and used, and which memories to load at every session start, or no longer. Without"
         " --apply it only lists them.",
         (Param("apply", "flag", "Do it.", False),), on_context(heat), heat_text, writes=True, agents=False, signed=True),
)  # fmt: skip
