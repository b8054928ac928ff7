"""Sample transcripts, made by us: one person and a small kitchen app, over five weeks.

They hold decisions, preferences, faults and their cures, a lesson, two changed minds, and much talk worth nothing later.
"""

from pathlib import Path

#: Questions for which the samples have a telling answer: one in other words than anything said, one about a decision that
#: was given up later, and one about something never spoken of.
PROMPTS = (
    "I'm planning a birthday cake with a nut cream for my little girl. Anything I must watch out for?",
    "Where does larder run, and how do I put a new version there?",
    "How do I adjust the carburettor of an old two-stroke moped?",
)


def transcripts() -> tuple[Path, ...]:
    """The sample files, oldest first."""
    return tuple(sorted((Path(__file__).parent / "transcripts").glob("*.jsonl")))
