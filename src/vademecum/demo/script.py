"""Project, date and prompts of the demo with sample conversations."""

from datetime import UTC, datetime

#: Project of the samples, as derived from their working folder.
PROJECT = "larder"

#: The evening after the last sample.
TODAY = datetime(2026, 11, 10, 20, 0, tzinfo=UTC)

#: (prompt, remark on the expected answer).
PROMPTS: tuple[tuple[str, str], ...] = (
    ("I'm baking for my daughter, is there a nut allergy to think of?", "in other words than the memory"),
    ("Why did we leave Fly?", "a decision that was changed: the later statement comes first, and the person decides"),
    ("How do I adjust the carburettor of an old two-stroke moped?", "never mentioned: nothing is shown"),
)
