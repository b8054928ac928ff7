"""`vade onboard` in a terminal: a few questions, each of which can be skipped; answered ones are not asked again."""

from collections.abc import Callable
from dataclasses import dataclass

import click

from vademecum.domain.errors import VademecumError
from vademecum.plugin_api.memory import READS, Vademecum, run
from vademecum.plugins.onboard import interview
from vademecum.plugins.onboard.questions import Question

#: Answers that end the interview.
LEAVE = ("q", "quit", "exit")


@dataclass(slots=True)
class OnboardScreen:
    """One session at the terminal.

    Attributes:
        ask: prints a text and waits for a line; None: the person quits.
        say: prints a line.
    """

    memory: Vademecum
    ask: Callable[[str], str | None]
    say: Callable[[str], object]

    def run(self) -> None:
        """Ask the open questions. Answers are saved at once, so quitting loses nothing."""
        context = self.memory.context
        open_ones = [known.question for known in run(context, READS, lambda: interview.state(context)) if not known.answers]
        if not open_ones:
            self.say("All questions are answered. To change an answer: vade onboard QUESTION ANSWER")
            return
        self.say("A few questions, so that every tool knows how to work with you. Enter skips one, q leaves.")
        for question in open_ones:
            answer = self._answer(question)
            if answer is None:
                break
            if not answer.strip():
                continue
            try:
                for kept in interview.answer(context, question.key, answer):
                    self.say(f"  {kept.action}: {kept.memory.title}" if kept.memory else f"  {kept.action}")
            except VademecumError as error:
                self.say(f"  {error.message}")
        left = sum(not one.answers for one in interview.state(context))
        self.say(f"{left} questions are left; continue with: vade onboard" if left else "Thank you, that is all.")

    def _answer(self, question: Question) -> str | None:
        """Return the person's answer, "" to skip, or None if they quit."""
        first = self.ask(question.asks)
        if first is None or first.strip().lower() in LEAVE:
            return None
        lines = [first]
        while question.many and lines[-1].strip():
            more = self.ask("...")
            if more is None or more.strip().lower() in LEAVE:
                break
            lines.append(more)
        return "\n".join(lines)


def onboard_in_terminal(memory: Vademecum) -> None:
    """Conduct the interview at this terminal."""

    def ask(text: str) -> str | None:
        try:
            return str(click.prompt(text, default="", show_default=False))
        except click.Abort:
            click.echo()
            return None

    OnboardScreen(memory, ask, click.echo).run()
