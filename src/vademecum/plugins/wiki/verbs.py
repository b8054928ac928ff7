"""Verbs of the wiki: sources and their pages, events of a layered workflow, and required memories."""

from vademecum.plugin import on_context
from vademecum.plugin_api.verbs import Param, Verb, memory_text, saved_text, views_text
from vademecum.plugins.wiki import events, fold, sources
from vademecum.plugins.wiki.events import EVENTS, EventReport
from vademecum.plugins.wiki.fold import Folded
from vademecum.plugins.wiki.sources import Ingested

_EVENTS = "; ".join(f"{name} ({event.meaning})" for name, event in EVENTS.items())


def event_text(result: EventReport) -> str:
    """Return the result of an event."""
    lines = [saved_text(saved) for saved in result.saved]
    if result.views is not None:
        lines.append(views_text(result.views))
    return "\n".join(lines) or "It contains nothing to save."


def ingested_text(result: Ingested) -> str:
    """Return the state of each source, then the pages created or changed."""
    lines = [f"{source.state:<10} {source.name}" for source in result.sources if source.state != "unchanged"]
    lines += [f"  {saved_text(saved)}" for saved in result.saved]
    lines += [f"problem: {problem.path}: {problem.message}" for problem in result.problems]
    unchanged = sum(source.state == "unchanged" for source in result.sources)
    return "\n".join(lines + ([f"{unchanged} unchanged"] if unchanged or not lines else []))


def folded_text(result: Folded) -> str:
    """Return the folds, and the number of changes left in the log."""
    word = "folded into" if result.done else "would be folded into"
    lines = [f"{page.entries} changes {word} {page.path}" for page in result.folds]
    lines.append(f"{result.left} changes stay in the log" + ("" if result.done or not lines else ". Do it with --yes."))
    return "\n".join(lines)


_PAGES = (
    Param("kind", "text", "Kind of page: module, concept, decision, synthesis, ..."),
    Param("title", "text", "What it is called; the page of that name gets what is new."),
    Param("body", "text", "What the source says of it; mark what it does not say with ^[inferred] or ^[ambiguous]."),
)

VERBS = (
    Verb("ingest",
         "Make pages of sources: those in .raw, which is never changed, and files that you name, which are copied there."
         " Only what is new or changed is read.", (
        Param("files", "list", "Files; empty: all in .raw.", (), place=True, commas=False),
        Param("status", "flag", "Only show what is new, changed, touched (only its time), unchanged or gone.", False),
        Param("pages", "objects", "What you read in the one source that is named, as pages.", (), fields=_PAGES),
        Param("project", "text", "Project that it belongs to.", ""),
    ), on_context(sources.ingest), ingested_text, writes=True, signed=True),
    Verb("event", "Save what a workflow in layers reports: a spec, a plan, what held or failed, the end of a turn or session.", (
        Param("name", "text", f"Which: {_EVENTS}.", place=True, max_chars=40),
        Param("payload", "object",
              "Its content as JSON: title, body, project, source, tags; everything else becomes sections.", {}),
    ), on_context(events.take_event), event_text, writes=True, signed=True),
    Verb("require",
         "Check that a memory exists, by kind and title; exit code 4 (MISSING) when there is none, so that a host stops.", (
        Param("kind", "text", "Kind: decision, spec, plan, failure_pattern, ...", place=True, named="kind"),
        Param("title", "words", "Its title, key, alias or id.", place=True),
        Param("project", "text", "Only this project's, and those of no project.", ""),
    ), on_context(events.require), memory_text, signed=True),
    Verb("fold",
         "Move the oldest lines of the wiki's log into pages of their own, word for word. Without --yes it only shows what it would do.", (
        Param("k", "number", "2^k changes to a page.", 4, least=1, most=8),
        Param("yes", "flag", "Do it; without this, only show what would be done.", False),
    ), on_context(fold.fold), folded_text, writes=True, agents=False, consent="yes", signed=True),
)  # fmt: skip
