"""What a person's memory holds in these tests, and how it begins and ends."""

import time
from collections.abc import Callable

from tests.real.person import Person

#: What is in memory: each has a word that nobody says in the conversations below.
BRIEFED = "Two sentences at most, in the quillwort style."
DATABASE = "The billing service stores its data in PostgreSQL on the host vermilion."
READING = "It meets on the second Thursday of the month in the cerulean room."
SAVED = (
    ("preference", "Length of replies", BRIEFED, "--always-load"),
    ("fact", "Billing database", DATABASE),
    ("fact", "Reading group", READING),
)

#: How long the helper may take for what it does in the background.
BACKGROUND_LIMIT_S = 120
#: So long the helper is told to stop.
STOP_LIMIT_S = 20
#: What was told to stop has so long before it is told again.
STOP_AGAIN_S = 1


def begin(person: Person) -> None:
    """Make an empty memory. Deadlines are out of the way: what is asked here is what arrives, not how fast."""
    person.env |= {"VADEMECUM_PROMPT_DEADLINE_MS": "60000", "VADEMECUM_HOOK_DEADLINE_MS": "60000", "VADEMECUM_PORT": "0"}
    person.vade("init", str(person.home / "Memory"))


def end(person: Person) -> None:
    """Stop the helper; where a test broke everything, there may be none. A program may end before its last hook, which could
    start another helper behind our back; and one that only begins cannot be told to stop yet."""
    wait_for(person, lambda: not any("client.py" in command for command in person.processes().values()))
    deadline = time.monotonic() + STOP_LIMIT_S
    while person.processes() and time.monotonic() < deadline:
        person.typed("stop")
        person.alone_within(STOP_AGAIN_S)


def wait_for(person: Person, found: Callable[[], bool]) -> None:
    """Until the helper has done something in the background."""
    deadline = time.monotonic() + BACKGROUND_LIMIT_S
    while not found():
        assert time.monotonic() < deadline, logs(person)
        time.sleep(0.1)


def logs(person: Person) -> str:
    """What we wrote to our logs, for a test that fails."""
    paths = sorted((person.home / "xdg").rglob("*.log")) + sorted((person.home / "xdg").rglob("hooks*.jsonl"))
    return "\n".join(f"== {path.name}\n{path.read_text('utf-8')}" for path in paths)
