"""What the demonstration asks of its sample conversations, and when it plays."""

from datetime import UTC, datetime

#: Of the samples, as captured from their working folder.
PROJECT = "larder"

#: The evening after the last sample.
TODAY = datetime(2026, 11, 10, 20, 0, tzinfo=UTC)

#: (prompt, what to look for in the answer).
PROMPTS: tuple[tuple[str, str], ...] = (
    (
        "I'm planning a birthday cake with a nut cream for my little girl. Anything I must watch out for?",
        "in other words than anything said: it is about the allergy",
    ),
    (
        "Where do we deploy larder?",
        "a decision that was given up: the new one comes first, the old one is marked",
    ),
    (
        "How do I adjust the carburettor of an old two-stroke moped?",
        "never spoken of: nothing is injected",
    ),
)
