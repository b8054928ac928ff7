"""`vade shadow`."""

from vademecum.plugin_api.verbs import Param, Verb
from vademecum.plugins.shadow.shadow import Shadow, shadow


def shadow_text(result: Shadow) -> str:
    """Return the number of equal answers, and the different ones."""
    if not result.compared:
        return f"No question was asked since the last comparison. The log: {result.log}"
    lines = [f"{result.same} of {result.compared} answers would be the same with {result.profile}. The log: {result.log}"]
    for answer in result.differing:
        lines += [
            f"\n{answer.question}",
            f"  shown:       {_titles(answer.shown)}",
            f"  would show:  {_titles(answer.would_show)}",
        ]
    return "\n".join(lines)


def _titles(titles: tuple[str, ...]) -> str:
    return "; ".join(titles) or "nothing"


VERBS = (
    Verb("shadow", "Compare the last answers with those of another recall profile, and log both. Nothing else changes.", (
        Param("profile", "text", "The profile to compare with; empty: the setting shadow_profile.", "", max_chars=40),
        Param("limit", "number", "At most this many of the last questions.", 50, least=1, most=500),
    ), shadow, shadow_text, agents=False, asks=True),
)  # fmt: skip
