"""Verbs for what is learnt about the person, from them and from their notes."""

from collections.abc import Sequence

from vademecum.api import Vademecum
from vademecum.domain.ids import short_id
from vademecum.domain.learnt import Evolved
from vademecum.entrypoints.text import saved_text
from vademecum.entrypoints.verbs.table import Param, Verb
from vademecum.write.sources import SourceNote

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


VERBS = (
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
