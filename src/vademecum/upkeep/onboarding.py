"""The interview: which questions are open, and answers kept as the person's own memories. It can be left and taken up at any time."""

import re

from vademecum.model.errors import InvalidInput, UnknownWord
from vademecum.model.memory import By, Draft
from vademecum.model.onboarding import ONBOARDING, QUESTIONS, Known, Question
from vademecum.model.query import Scope
from vademecum.model.reports import Saved
from vademecum.upkeep.keep import keep
from vademecum.upkeep.parts import Parts

_MOST = 100
_TITLE_CHARS = 80


def state(parts: Parts) -> tuple[Known, ...]:
    """Every question with its answers, in the order in which they are asked."""
    return tuple(Known(one, _answers(parts, one)) for one in QUESTIONS)


def answer(parts: Parts, key: str, text: str, *, by: By) -> tuple[Saved, ...]:
    """Keep an answer; it takes the place of an earlier one, unless the question takes many.

    Raises:
        UnknownWord: no such question. InvalidInput: no answer. Refused: by the guard, or memory is switched off.
    """
    question = next((one for one in QUESTIONS if one.key == key), None)
    if question is None:
        raise UnknownWord("question", key, [one.key for one in QUESTIONS])
    given = text.splitlines() if question.many else [text]
    said = (re.sub(rf"^{question.lead}", "", " ".join(line.split()), flags=re.IGNORECASE) for line in given)
    lines = [plain for line in said if (plain := line.rstrip("."))]
    if not lines:
        raise InvalidInput("There is no answer.", "Skip the question, or say it in a sentence.")
    older = () if question.many else tuple(identity for _, identity in _answers(parts, question))
    return tuple(_kept(parts, question, line, older, by) for line in lines)


def _kept(parts: Parts, question: Question, line: str, older: tuple[str, ...], by: By) -> Saved:
    said = question.says.format(answer=line)
    said = said[:1].upper() + said[1:]
    title = said.rstrip(".") if len(said) <= _TITLE_CHARS else said[:_TITLE_CHARS].rpartition(" ")[0] + "…"
    known = _answers(parts, question)
    same = next((identity for known_title, identity in known if known_title == title), "")
    if same:
        return Saved("confirmed", parts.vault.get(same))
    draft = Draft(question.kind, title, said + "\n", (f"{ONBOARDING}{question.key}",), properties={"confidence": "high"})
    return keep(parts, draft, by=by, replaces=older, unique=True)


def _answers(parts: Parts, question: Question) -> tuple[tuple[str, str], ...]:
    scope = Scope(sources=("memory",), statuses=("active",), tags=(f"{ONBOARDING}{question.key}",))
    found = parts.index.select(scope, limit=_MOST)
    return tuple((item.title, item.key.removeprefix("memory://")) for item in reversed(found))
