"""`vade daily` and `vade daily --keys`."""

from collections.abc import Mapping

from vademecum.plugin import on_context
from vademecum.plugin_api.verbs import Param, Verb
from vademecum.plugins.daily.notes import daily, key_uses
from vademecum.plugins.daily.values import DailyNote


def daily_text(result: DailyNote) -> str:
    """Return the text and path of the note."""
    if not result.text:
        return f"Nothing was noted on {result.day}. Its note would be {result.path}"
    return f"{result.text.rstrip()}\n\n{result.path}"


def key_uses_text(result: Mapping[str, int]) -> str:
    """Return one line for each key."""
    return "\n".join(f"{count:5}  {key}" for key, count in result.items()) or "No key is named in these days' notes."


VERBS = (
    Verb("daily",
         "The note of a day: what each conversation brought. You may edit it; your changes stay.", (
        Param("day", "text", "A date such as 2026-03-02, or yesterday; empty: today.", "", place=True, max_chars=40),
    ), on_context(daily), daily_text),
    Verb("daily --keys", "How often memories are named by their keys, such as [KD07], in the notes of the last days.",
         (Param("days", "number", "How many days.", 7, least=1, most=366),), on_context(key_uses), key_uses_text),
)  # fmt: skip
