"""Prepare the part of a conversation that a language model is shown.

It consists of typed and pasted text, the agent's messages, and results of commands. Each message is one line with a number.
Real sessions consist mostly of pasted plans and an agent's steps, so both are shortened; what the person typed, and what the
agent said right before it, stay nearly complete. Code, private passages and tool output are left out, except for one line on
each command that proves something.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from msgspec import Struct

from vademecum.domain.session import SPOKEN, Turn
from vademecum.extract.checked_commands import CheckedCommand, checked_commands
from vademecum.extract.numbers import (
    COMMANDS_SHOWN,
    HEAD_SHARE,
    MATERIAL_WANTED_CHARS,
    PASTED_HEAD_SHARE,
    PASTED_MIN_CHARS,
    QUESTION_MAX_CHARS,
    STEP_MIN_CHARS,
    TYPED_MIN_CHARS,
)
from vademecum.extract.voice import Voice
from vademecum.language.patterns import speech
from vademecum.language.sentences import on_one_line

#: Sentences of one line, each up to its end.
_SENTENCE = re.compile(r"\S.*?(?:[.:!?](?=\s|$)|[。：！？]|$)")

Who = Literal["user", "agent", "ran"]


class Cuts(Struct, frozen=True):
    """Maximum characters of a typed message, a pasted message, and an agent's report and step.

    A report is the agent's last message before the person speaks again; other messages are steps.
    """

    typed: int
    pasted: int
    report: int
    step: int


CUTS = (
    Cuts(2_000, 2_000, 1_400, 300), Cuts(1_500, 1_200, 1_200, 200), Cuts(1_500, 900, 900, 150), Cuts(1_000, 600, 700, 100),
    Cuts(800, 400, 500, 0),
)  # fmt: skip


class Shown(Struct, frozen=True):
    """One message in the form that the model is shown.

    Attributes:
        who: "ran" for a command; its turn is the agent's call.
        text: the shown text, one line.
        typed: (start, end) of the passages in the turn's own text that the person typed.
        pasted: whether it is mainly material by others.
        failed: whether the command failed.
    """

    number: int
    who: Who
    turn: Turn
    text: str
    typed: tuple[tuple[int, int], ...] = ()
    pasted: bool = False
    failed: bool = False

    @property
    def spoken(self) -> str:
        """What the person typed or the agent said in it; "" for a command."""
        if self.who == "user":
            return " ".join(self.turn.text[start:end] for start, end in self.typed)
        return self.turn.text if self.who == "agent" else ""

    @property
    def line(self) -> str:
        """Number, speaker and text."""
        mark = ", pasted" if self.pasted else ""
        return f"[{self.number}] {self.who}{mark}: {self.text}"


def shown_of(turns: Sequence[Turn], heard: Mapping[str, Voice]) -> tuple[Shown, ...]:
    """Return the messages in which somebody says something and the commands that prove something, in order.

    Args:
        heard: voices of the person's turns, by `Turn.ref`.
    """
    messages = tuple(_messages(turns, heard))
    for cuts in CUTS:
        shown = tuple(_shown(messages, heard, cuts))
        if sum(len(line.text) for line in shown) <= MATERIAL_WANTED_CHARS:
            break
    return shown


class _Message(Struct, frozen=True):
    """A turn that is shown.

    `checked` is set for a command. `last` marks the agent's message before the person's next one, the final one, or one that
    follows a failed command.
    """

    turn: Turn
    checked: CheckedCommand | None = None
    last: bool = False


def _messages(turns: Sequence[Turn], heard: Mapping[str, Voice]) -> Iterator[_Message]:
    ran = {checked.ref: checked for checked in list(checked_commands(turns))[-COMMANDS_SHOWN:]}
    all_turns = [
        turn
        for turn in turns
        if not turn.sidechain
        and (turn.ref in ran or turn.ref in heard or turn.role in SPOKEN)
        and not (turn.role == "user" and turn.text.startswith("/"))
    ]
    for number, turn in enumerate(all_turns):
        following = next((later for later in all_turns[number + 1 :] if later.role in SPOKEN or later.ref in heard), None)
        before = ran.get(all_turns[number - 1].ref) if number else None
        last = turn.role == "agent" and (
            following is None or following.role != "agent" or (before is not None and before.failed)
        )
        yield _Message(turn, ran.get(turn.ref), last)


def _shown(messages: Sequence[_Message], heard: Mapping[str, Voice], cuts: Cuts) -> Iterator[Shown]:
    number = 0
    for message in messages:
        shown = _one(number + 1, message, heard.get(message.turn.ref), cuts)
        if shown is not None and shown.text:
            number += 1
            yield shown


def _one(number: int, message: _Message, voice: Voice | None, cuts: Cuts) -> Shown | None:
    """Return the message in the form that is shown; None when it says nothing."""
    turn = message.turn
    if message.checked is not None:
        entry = f"{message.checked.command} => {'failed: ' if message.checked.failed else ''}{message.checked.outcome or 'nothing said'}"
        return Shown(number, "ran", turn, on_one_line(entry), failed=message.checked.failed)
    if turn.role == "agent":
        text = on_one_line(turn.text)
        if not message.last:
            # "Let me run the tests:" only announces what the agent does next, and gives no reason
            next_step, reason = speech("next_step"), speech("reason")
            text = " ".join(
                result
                for result in _SENTENCE.findall(text)
                if not next_step.match(result.replace("’", "'")) or reason.search(result)
            )
            if len(text) < STEP_MIN_CHARS:
                return None
        return Shown(number, "agent", turn, _in_short(text, cuts.report if message.last else cuts.step))
    typed = voice.typed if voice is not None else ()
    pasted = voice is None or (voice.pasted and sum(end - start for start, end in typed) < TYPED_MIN_CHARS)
    text = cut(on_one_line(turn.text), cuts.pasted, PASTED_HEAD_SHARE) if pasted else _mixed(turn, typed, cuts)
    if turn.question:
        text = f"(asked: {cut(on_one_line(turn.question), QUESTION_MAX_CHARS)}) {text}"
    return Shown(number, "user", turn, text, typed, pasted)


def _in_short(text: str, most: int) -> str:
    """Shorten the agent's text to at most `most` characters.

    The first and the last sentence are preferred, then those with a cause or a negation, then others. Their order stays.
    """
    if len(text) <= most:
        return text
    sentences = _SENTENCE.findall(text)
    if len(sentences) < 3 or most < STEP_MIN_CHARS:
        return cut(text, most)
    wanted = sorted(
        range(len(sentences)), key=lambda at: (at != 0, at != len(sentences) - 1, not _gives_reason(sentences[at]), at)
    )
    left, taken = most, set[int]()
    for at in wanted:
        if len(sentences[at]) + len(" … ") <= left:
            left -= len(sentences[at]) + len(" … ")
            taken.add(at)
    if not taken:
        return cut(text, most)
    texts = (f"{'' if at - 1 in taken or not at else '… '}{sentences[at]}" for at in sorted(taken))
    return f"{' '.join(texts)}{'' if len(sentences) - 1 in taken else ' …'}"


def _gives_reason(sentence: str) -> bool:
    return any(speech(sign).search(sentence) for sign in ("reason", "denying", "lacking"))


def _mixed(turn: Turn, typed: Sequence[tuple[int, int]], cuts: Cuts) -> str:
    """Return the person's typed text with pasted passages marked as such."""
    parts: list[str] = []
    begun = 0  # start of the typed text that is not yet in `parts`
    ends = [0, *(end for _, end in typed)]
    for before, start in zip(ends, [*(start for start, _ in typed), len(turn.text)], strict=True):
        pasted = on_one_line(turn.text[before:start])
        if len(pasted) >= PASTED_MIN_CHARS:
            text = cut(pasted, cuts.pasted, PASTED_HEAD_SHARE)
            parts += [cut(on_one_line(turn.text[begun:before]), cuts.typed), f"<pasted>{text}</pasted>"]
            begun = start
    parts.append(cut(on_one_line(turn.text[begun:]), cuts.typed))
    return " ".join(filter(None, parts))


def cut(text: str, most: int, share: float = HEAD_SHARE) -> str:
    """Shorten `text` to at most `most` characters: keep its beginning and end, cut between words where possible.

    Args:
        share: the beginning's share of the result (0..1).
    """
    if len(text) <= most:
        return text
    if not most:
        return ""
    head = text[: int(most * share)]
    tail = text[len(text) - (most - len(head) - 3) :]
    head = head.rpartition(" ")[0] or head
    tail = tail.partition(" ")[2] or tail
    return f"{head} … {tail}"
