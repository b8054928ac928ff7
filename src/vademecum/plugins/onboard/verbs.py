"""`vade onboard`."""

from collections.abc import Sequence

from vademecum.domain.ids import short_id
from vademecum.domain.memory import By
from vademecum.plugin import late
from vademecum.plugin_api.memory import Vademecum
from vademecum.plugin_api.verbs import Param, Verb, saved_text
from vademecum.plugin_api.writing import Saved
from vademecum.plugins.onboard import interview
from vademecum.plugins.onboard.questions import Known


def _onboard(memory: Vademecum, question: str, answer: str, by: By) -> tuple[Saved, ...] | tuple[Known, ...]:
    return interview.answer(memory.context, question, answer, by=by) if question else interview.state(memory.context)


def onboarded_text(results: Sequence[Saved | Known]) -> str:
    """Return the saved answers, or the questions with known answers."""
    lines: list[str] = []
    for result in results:
        if isinstance(result, Saved):
            lines.append(saved_text(result))
        else:
            lines.append(f"{result.question.key}: {result.question.asks}")
            lines += [f"  {title}  {short_id(identity)}" for title, identity in result.answers] or ["  (open)"]
    return "\n".join(lines)


VERBS = (
    Verb("onboard",
         "Let memory get to know you: a few questions, each skippable; left in the middle, it goes on where it stopped.", (
        Param("question", "text", "Which question to answer; empty: all that are open.", "", place=True, max_chars=40),
        Param("answer", "words", "The answer.", "", place=True, max_chars=4000),
    ), _onboard, onboarded_text, writes=True, agents=False, screen=late("vademecum.plugins.onboard.screen", "onboard_in_terminal"),
         signed=True),
)  # fmt: skip
