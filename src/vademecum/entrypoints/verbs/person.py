"""Verbs for what is learnt about the person, from them and from their notes."""

from collections.abc import Sequence

from vademecum.api import Vademecum
from vademecum.domain.benefit import USUAL_ODDS, Benefit
from vademecum.domain.ids import short_id
from vademecum.domain.learnt import Evolved
from vademecum.entrypoints.text import saved_text
from vademecum.entrypoints.verbs.verb import Param, Verb
from vademecum.write.source_notes import SourceNote

_NOTE = Param("note", "text", "Path of the note in your vault.", place=True, max_chars=1000)


def evolution_text(results: Sequence[Evolved]) -> str:
    """Return the page of observations, as Markdown."""
    if not results:
        return "Nothing was learnt yet. Save a correction with: vade save correction TITLE"
    lines: list[str] = []
    for evolved in results:
        if f"## {evolved.heading}" not in lines:
            lines += ["", f"## {evolved.heading}", ""]
        lines.append(f"- **{evolved.key}** {evolved.memory.title}  ({short_id(evolved.memory.id)})")
    return "\n".join(lines[1:])


def source_text(result: SourceNote) -> str:
    """Return one source note, and what was saved of it."""
    lines = [f"{result.path}{'  (changed since it was read)' if result.dirty else ''}"]
    lines += ["  " + saved_text(saved).replace("\n", "\n  ") for saved in result.saved]
    return "\n".join([*lines, *([f"  {result.note}"] if result.note else [])])


def sources_text(result: tuple[SourceNote, ...]) -> str:
    """Return all source notes."""
    return "\n".join(source_text(one) for one in result) or "No note is a source of memories. Make one: vade sources --add NOTE"


_OFF = """Whether memory helps you is not being measured. To begin: vade settings set measure_benefit true.
One memory in five is then left out of a conversation that it would be shown in, never a warning or a rule. Later this counts
how often what was left out had to be said or looked up, beside how often what was shown had to be. Nothing leaves this machine."""


def benefit_text(result: Benefit) -> str:
    """Return in a few lines whether showing memories helps."""
    if result.since is None:
        return "Measuring is on; nothing was shown since." if result.on else _OFF
    ways = ", ".join(f"{need} {count}" for need, count in result.ways.items())
    lines = [
        f"Since {result.since:%Y-%m-%d}: shown {result.delivered} times, left out {result.left_out} times on purpose.",
        f"Needed all the same: {result.left_out_needed} of what was left out, {result.delivered_needed} of what was shown"
        + (f" ({ways})." if ways else "."),
        _verdict(result),
    ]
    if result.delivered_wrong or result.left_out_wrong:
        lines.append(
            f"Contradicted in the same conversation: {result.delivered_wrong} of what was shown,"
            f" {result.left_out_wrong} of what was left out."
        )
    return "\n".join([*lines, *([] if result.on else ["Nothing is left out any more: measure_benefit is off."])])


def _verdict(result: Benefit) -> str:
    events, odds = result.events, result.odds or 0
    if result.shown:
        bound = f" to {result.high:.3g}" if result.high else " or more"
        return f"What is left out is needed {odds:.2g} times as often ({result.low:.2g}{bound}): clear since {result.shown:%Y-%m-%d}."
    if result.high is not None and result.high < 1:
        return f"What is shown is needed more often than what is left out ({odds:.2g} to 1): showing it does not help."
    return f"Not yet enough to tell: {events} of about {result.enough} events, if showing it makes the need {USUAL_ODDS:.0f} times rarer."


VERBS = (
    Verb("benefit", "Whether showing memories helps: what was left out on purpose, and how often it was needed all the same.", (),
         Vademecum.person.benefit, benefit_text, agents=False),
    Verb("observe", "Note what you observed about the person. It waits until three sessions agree.", (
        Param("text", "words", "What the person does or wants, in one sentence.", place=True, max_chars=1000),
        Param("session", "text", "Id of the session; empty: today counts.", "", max_chars=300),
        Param("kind", "text", "Kind of memory that it would be.", "preference", max_chars=40),
        Param("project", "text", "Project it is about.", "", max_chars=200),
    ), Vademecum.person.observe, saved_text, writes=True, standing="agent", signed=True),
    Verb("log --learned",
         "Corrections, competence, optimizations, capabilities and failed evolutions, each with its id (C001, K001, ...).", (),
         Vademecum.person.evolution, evolution_text, signed=True),
    Verb("sources", "Notes that memories are taken from.",
         (Param("only_dirty", "flag", "Only those that changed since they were read.", False),), Vademecum.person.sources,
         sources_text),
    Verb("sources --add", "Take memories from a note you wrote, now and whenever it changes.",
         (_NOTE, Param("write_frontmatter", "flag", "Also note it in the note, if you allow writing there.", True)),
         Vademecum.person.add_source, source_text, writes=True, signed=True),
    Verb("sources --remove", "Stop taking memories from a note; those that were taken stay.", (
        _NOTE,
        Param("clear_frontmatter", "flag", "Also clear it in the note, if you allow writing there.", True),
        Param("forget", "flag", "Also delete permanently what was taken from it, with every copy that Vademecum has.", False),
    ), Vademecum.person.remove_source, source_text, writes=True, signed=True),
)  # fmt: skip
