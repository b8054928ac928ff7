"""The interview: open questions, and answers saved as the person's memories. It can be left and continued at any time."""

from vademecum.domain.errors import InvalidInput, UnknownWord
from vademecum.domain.memory import BY_PERSON, By, Draft
from vademecum.domain.query import Scope
from vademecum.language.patterns import speech
from vademecum.plugin_api.memory import Context
from vademecum.plugin_api.writing import Saved, keep
from vademecum.plugins.onboard.questions import ONBOARDING, QUESTIONS, Known, Question

_MOST = 100
_TITLE_CHARS = 80


def state(context: Context) -> tuple[Known, ...]:
    """Return every question with its answers, in order."""
    return tuple(Known(question, _answers(context, question)) for question in QUESTIONS)


def answer(context: Context, key: str, text: str, *, by: By = BY_PERSON) -> tuple[Saved, ...]:
    """Save an answer. It replaces an earlier one, unless the question has several answers.

    Raises:
        UnknownWord: no such question.
        InvalidInput: no answer.
        Refused: by the guard, or memory is switched off.
    """
    question = next((asked for asked in QUESTIONS if asked.key == key), None)
    if question is None:
        raise UnknownWord("question", key, [asked.key for asked in QUESTIONS])
    given = text.splitlines() if question.many else [text]
    texts = (_without_lead(" ".join(line.split())) if question.introduces else " ".join(line.split()) for line in given)
    lines = [plain for line in texts if (plain := line.rstrip("."))]
    if not lines:
        raise InvalidInput("There is no answer.", "Skip the question, or answer in a sentence.")
    older = () if question.many else tuple(identity for _, identity in _answers(context, question))
    return tuple(_kept(context, question, line, older, by) for line in lines)


def _without_lead(line: str) -> str:
    """Return the answer without an introduction such as "my name is"."""
    lead = speech("introducing").match(line)
    return line[lead.end() :].lstrip() if lead else line


def _kept(context: Context, question: Question, line: str, older: tuple[str, ...], by: By) -> Saved:
    statement = question.says.format(answer=line)
    statement = statement[:1].upper() + statement[1:]
    title = statement.rstrip(".") if len(statement) <= _TITLE_CHARS else statement[:_TITLE_CHARS].rpartition(" ")[0] + "…"
    known = _answers(context, question)
    same = next((identity for known_title, identity in known if known_title == title), "")
    if same:
        return Saved("confirmed", context.vault.get(same))
    draft = Draft(question.kind, title, statement + "\n", (f"{ONBOARDING}{question.key}",), properties={"confidence": "high"})
    return keep(context, draft, by=by, replaces=older, unique=True)


def _answers(context: Context, question: Question) -> tuple[tuple[str, str], ...]:
    scope = Scope(sources=("memory",), statuses=("active",), tags=(f"{ONBOARDING}{question.key}",))
    items = context.index.select(scope, limit=_MOST)
    return tuple((item.title, item.key.removeprefix("memory://")) for item in reversed(items))
