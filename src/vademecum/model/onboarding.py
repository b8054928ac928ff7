"""Getting to know each other: the questions, as a table. Answers are memories like any other, with a tag that says which question."""

from dataclasses import dataclass

#: Tags of answers are below this one.
ONBOARDING = "onboarding/"


@dataclass(frozen=True, slots=True)
class Question:
    """One question.

    Attributes:
        key: names it on the command line and in the tag of its answer.
        kind: of the memory that the answer becomes. says: its text, with the answer in it.
        many: each line of the answer is a memory. lead: what people say in front of the answer itself, a regular expression.
    """

    key: str
    asks: str
    kind: str
    says: str
    many: bool = False
    lead: str = ""


_INTRODUCING = (
    r"(?:(?:you can |please |just )?call me|i am|i['’]m|my name is|(?:bitte )?nenn mich|ich heiße|ich bin|mein name ist|me llamo|ll[áa]mame"
    r"|mi nombre es|soy|(?:eu )?me chamo|chamo-me|o? ?meu nome é|sou|叫我|我叫|我是)\s*"
)

QUESTIONS = (
    Question(
        "name", "What shall your tools call you?", "identity", "The person wants to be called {answer}.", lead=_INTRODUCING
    ),
    Question(
        "language",
        "In which language, and in what tone, shall they answer you?",
        "style",
        "Language and tone of answers: {answer}.",
    ),
    Question("work", "What do you work on, and what do you use them for?", "identity", "What the person works on: {answer}."),
    Question(
        "ways", "What shall they always or never do? One a line, an empty line ends.", "preference", "{answer}.", many=True
    ),
)


@dataclass(frozen=True, slots=True)
class Known:
    """A question and what was answered: titles and ids of the memories; none while it is open."""

    question: Question
    answers: tuple[tuple[str, str], ...] = ()
