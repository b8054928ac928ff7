"""The questions of the interview, as a table. Answers are ordinary memories, with a tag that names the question."""

from msgspec import Struct

#: Prefix of the tags of answers.
ONBOARDING = "onboarding/"


class Question(Struct, frozen=True):
    """One question.

    Attributes:
        key: its name on the command line and in the tag of its answer.
        kind: of the answer's memory.
        says: text of the memory, with a placeholder for the answer.
        many: each line of the answer is a memory.
        introduces: answers may begin with "my name is" or similar.
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
    """A question and its answers: (title, id) of each memory; empty while it is open."""

    question: Question
    answers: tuple[tuple[str, str], ...] = ()
