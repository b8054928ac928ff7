"""Getting to know each other: the questions, as a table. Answers are memories like any other, with a tag that says which question."""

from msgspec import Struct

#: Tags of answers are below this one.
ONBOARDING = "onboarding/"


class Question(Struct, frozen=True):
    """One question.

    Attributes:
        key: names it on the command line and in the tag of its answer.
        kind: of the memory that the answer becomes. says: its text, with the answer in it.
        many: each line of the answer is a memory. introduces: people say "my name is" and the like in front of it.
    """

    key: str
    asks: str
    kind: str
    says: str
    many: bool = False
    introduces: bool = False


QUESTIONS = (
    Question(
        "name", "What should your tools call you?", "identity", "The person wants to be called {answer}.", introduces=True
    ),
    Question(
        "language",
        "In which language and tone should they answer you?",
        "style",
        "Language and tone of answers: {answer}.",
    ),
    Question("work", "What do you work on, and what do you use them for?", "identity", "What the person works on: {answer}."),
    Question(
        "ways",
        "What should they always or never do? One per line; an empty line ends the list.",
        "preference",
        "{answer}.",
        many=True,
    ),
)


class Known(Struct, frozen=True):
    """A question and what was answered: titles and ids of the memories; none while it is open."""

    question: Question
    answers: tuple[tuple[str, str], ...] = ()
