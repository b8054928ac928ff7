"""A person at the review screen, and a proposal for it."""

from vademecum.domain.session import Candidate
from vademecum.entrypoints.screens.review import ReviewScreen

ONE = Candidate(
    "preference",
    "",
    "",
    "low",
    0.6,
    "session://plain/one",
    ("t1", "t1"),
    "",
    "what stood around it",
    pattern="en.preference.dont",
)


class Person:
    """Presses keys from a list and remembers what was shown."""

    def __init__(self, memory, keys, edited=None):
        self.shown = []
        self.left = list(keys)
        self.screen = ReviewScreen(memory, lambda: self.left.pop(0), self.shown.append, lambda text: edited)

    @property
    def text(self):
        return "\n".join(self.shown)
