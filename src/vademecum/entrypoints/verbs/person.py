"""Learn how to work with the person, from them and from their notes."""

from collections.abc import Mapping, Sequence

from vademecum.api import Vademecum
from vademecum.domain.benefit import USUAL_ODDS, Benefit
from vademecum.domain.ids import short_id
from vademecum.domain.item import Item
from vademecum.domain.learnt import Evolved
from vademecum.domain.memory import By
from vademecum.domain.procedural import SOUL_CATEGORIES
from vademecum.entrypoints.text import saved_text
from vademecum.entrypoints.verbs.table import Param, Verb
from vademecum.plugins.onboard.questions import Known
from vademecum.write.gate import Saved
from vademecum.write.sources import SourceNote

_NOTE = Param("note", "text", "Path of the note in your vault.", place=True, max_chars=1000)


def _onboard_screen(memory: Vademecum) -> None:
    from vademecum.plugins.onboard.screen import onboard_in_terminal

    onboard_in_terminal(memory)


def _onboard(memory: Vademecum, question: str, answer: str, by: By) -> tuple[Saved, ...] | tuple[Known, ...]:
    return memory.person.onboard(question, answer, by=by) if question else memory.person.onboarding()


def onboarded_text(results: Sequence[Saved | Known]) -> str:
    """Return answers as they were kept, or the questions with what is known."""
    lines: list[str] = []
    for one in results:
        if isinstance(one, Saved):
            lines.append(saved_text(one))
        else:
            lines.append(f"{one.question.key}: {one.question.asks}")
            lines += [f"  {title}  {short_id(identity)}" for title, identity in one.answers] or ["  (open)"]
    return "\n".join(lines)


def evolution_text(results: Sequence[Evolved]) -> str:
    """Return the page of what was learnt, as Markdown."""
    if not results:
        return "Nothing was learnt yet. Keep a correction with: vade save correction TITLE"
    lines: list[str] = []
    for one in results:
        if f"## {one.heading}" not in lines:
            lines += ["", f"## {one.heading}", ""]
        lines.append(f"- **{one.key}** {one.memory.title}  ({short_id(one.memory.id)})")
    return "\n".join(lines[1:])


def soul_text(result: Mapping[str, Sequence[Item]]) -> str:
    """Return what an agent holds about itself, by category."""
    lines: list[str] = []
    for category, notes in result.items():
        lines += [f"{category}:", *(f"  {one.title}  {short_id(one.key)}" for one in notes)] if notes else []
    return "\n".join(lines) or "The agent holds nothing about itself yet."


def source_text(result: SourceNote) -> str:
    """Return one marked note and what it gave."""
    lines = [f"{result.path}{'  (changed since it was read)' if result.dirty else ''}"]
    lines += ["  " + saved_text(one).replace("\n", "\n  ") for one in result.saved]
    return "\n".join([*lines, *([f"  {result.note}"] if result.note else [])])


def sources_text(result: tuple[SourceNote, ...]) -> str:
    """Return all marked notes."""
    return "\n".join(source_text(one) for one in result) or "No note is a source of memories. Make one: vade add-source NOTE"


_OFF = """Nothing is left out on purpose, so nobody can say whether being told helps you.
To find out, set measure_benefit = true in the configuration, or on the page Settings of `vade web`. Of what would be told, one
memory in five is then left out of one conversation, never a warning or a standing rule, and `vade benefit` counts how often
what was left out had to be said or looked up all the same. Nothing leaves this machine."""


def benefit_text(result: Benefit) -> str:
    """Return whether being told helps, in a few lines."""
    if result.since is None:
        return "Lots are drawn from now on; nothing was told since." if result.on else _OFF
    ways = ", ".join(f"{need} {count}" for need, count in result.ways.items())
    lines = [
        f"Since {result.since:%Y-%m-%d}: told {result.told} times, left out {result.left_out} times on purpose.",
        f"Needed all the same: {result.left_out_needed} of what was left out, {result.told_needed} of what was told"
        + (f" ({ways})." if ways else "."),
        _verdict(result),
    ]
    if result.told_wrong or result.left_out_wrong:
        lines.append(
            f"Said to be otherwise in the same conversation: {result.told_wrong} of what was told,"
            f" {result.left_out_wrong} of what was left out."
        )
    return "\n".join([*lines, *([] if result.on else ["Nothing is left out any more: measure_benefit is off."])])


def _verdict(result: Benefit) -> str:
    events, odds = result.events, result.odds or 0
    if result.shown:
        upper = f" to {result.high:.3g}" if result.high else " or more"
        return f"What is left out is needed {odds:.2g} times as often ({result.low:.2g}{upper}): shown since {result.shown:%Y-%m-%d}."
    if result.high is not None and result.high < 1:
        return f"What is told is needed more often than what is left out ({odds:.2g} to 1): being told does not help."
    return f"Not yet enough to tell: {events} of about {result.enough} events, if being told makes it {USUAL_ODDS:.0f} times rarer."


VERBS = (
    Verb("onboard",
         "Let memory get to know you: a few questions, each skippable; left in the middle, it goes on where it stopped.", (
        Param("question", "text", "Which question to answer; empty: all that are open.", "", place=True, max_chars=40),
        Param("answer", "words", "The answer.", "", place=True, max_chars=4000),
    ), _onboard, onboarded_text, writes=True, agents=False, screen=_onboard_screen),
    Verb("benefit", "Whether being told helps: what was left out on purpose, and how often it was needed all the same.", (),
         Vademecum.person.benefit, benefit_text, agents=False),
    Verb("observe", "Note what you observed of the person. It waits, and is believed once three sessions agree.", (
        Param("text", "words", "What the person does or wants, in one sentence.", place=True, max_chars=1000),
        Param("session", "text", "Id of the session; empty: today counts.", "", max_chars=300),
        Param("kind", "text", "What sort of memory it would be.", "preference", max_chars=40),
        Param("project", "text", "Project it is about.", "", max_chars=200),
    ), Vademecum.person.observe, saved_text, writes=True, standing="agent"),
    Verb("evolution",
         "Corrections, competence, optimizations, capabilities and failed evolutions, each with its id (C001, K001, ...).", (),
         Vademecum.person.evolution, evolution_text, standing="agent"),
    Verb("update-soul", "Keep one thing that you, the agent, hold about yourself; never shown as the person's.", (
        Param("category", "text", "What sort.", place=True, choices=SOUL_CATEGORIES),
        Param("text", "words", "What it is, in a sentence.", place=True, max_chars=2000),
        Param("importance", "share", "How much it matters, 0 to 1; 0.7 when not given.", None),
        Param("supersedes", "text", "The note of yours that it replaces.", "", max_chars=300),
        Param("agent", "text", "Whose self; empty: one over all tools.", "", max_chars=80),
    ), Vademecum.person.update_soul, saved_text, writes=True, standing="agent"),
    Verb("soul", "What an agent holds about itself: at most three of each category.",
         (Param("agent", "text", "Whose; empty: the one over all tools.", "", place=True, max_chars=80),),
         Vademecum.person.soul, soul_text, standing="agent"),
    Verb("sources", "Notes that memories are taken from.",
         (Param("only_dirty", "flag", "Only those that changed since they were read.", False),), Vademecum.person.sources,
         sources_text),
    Verb("add-source", "Take memories from a note you wrote, now and whenever it changes.",
         (_NOTE, Param("write_frontmatter", "flag", "Also note it in the note, if you allow writing there.", True)),
         Vademecum.person.add_source, source_text, writes=True),
    Verb("remove-source", "Take nothing more from a note; what was taken stays.", (
        _NOTE,
        Param("clear_frontmatter", "flag", "Also clear it in the note, if you allow writing there.", True),
        Param("forget", "flag", "Forget for good what was taken from it, with every copy of ours.", False),
    ), Vademecum.person.remove_source, source_text, writes=True),
)  # fmt: skip
