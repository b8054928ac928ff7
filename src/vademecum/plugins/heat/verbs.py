"""`vade heat`."""

from vademecum.plugin import on_context
from vademecum.plugin_api.verbs import Param, Verb
from vademecum.plugins.heat.heat import SESSIONS, Heat, heat


def heat_text(result: Heat) -> str:
    """Return how much was ever told, and what to load always and what no more."""
    share = f" ({result.told / result.memories:.0%})" if result.memories else ""
    lines = [
        f"{result.told} of {result.memories} memories{share} were ever told or found; {result.used} were taken up after that"
    ]
    if result.sessions < SESSIONS:
        return f"{lines[0]}\nToo few sessions to say more: {result.sessions} of {SESSIONS}."
    done = ("loaded always now", "loaded always no more") if result.applied else ("used often, could be loaded always", "cold")
    for word, titles in zip(done, (result.hot, result.cold), strict=True):
        lines += [f"{word}: {title}" for title in titles]
    if not (result.hot or result.cold):
        return f"{lines[0]}\nWhat is always loaded is used; nothing to change."
    return "\n".join([*lines, "Take it back: vade undo" if result.applied else "Do it: vade heat --apply"])


VERBS = (
    Verb("heat",
         "How much of memory was ever told and used, which memories to load always, and which no more. Only says so, unless --apply.",
         (Param("apply", "flag", "Do it.", False),), on_context(heat), heat_text, writes=True, agents=False, signed=True),
)  # fmt: skip
