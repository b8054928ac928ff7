"""Verbs for the language model that reads conversations."""

from collections import Counter

from vademecum.api import Vademecum
from vademecum.domain.extraction import Extraction, Trial
from vademecum.domain.ids import short_id
from vademecum.domain.llm import StrongerModel, Usage
from vademecum.domain.reading import ModelState, ModelUsage, ReaderState, ReadingPreview
from vademecum.domain.uris import session_ref
from vademecum.entrypoints.text import moment
from vademecum.entrypoints.verbs.verb import Param, Verb
from vademecum.llm_reading.results import ModelReport

#: First word of two-word verbs -> what they are about.
FIRST_WORDS = {
    "reader": "Choose what reads each conversation after it ends: your own agent, a model, or nothing.",
}
#: First word of two-word verbs -> default second word.
USUAL = {"reader": "show"}


def extractions_text(result: tuple[Extraction, ...]) -> str:
    """Return the queue of the language model, one line each."""
    return "\n".join(map(extraction, result)) or "Nothing waits for the language model."


def extraction(result: Extraction) -> str:
    """Return one conversation in the queue."""
    when = f"due {moment(result.due).strip()}" if result.stage == "waiting" else result.stage
    tries = f", failed {result.failures} times: {result.error}" if result.failures else ""
    if result.rival:
        return f"{session_ref(result.session)}  {when}, to be compared with {short_id(result.rival)}{tries}"
    return f"{session_ref(result.session)}  {when}, {result.turns_read} turns read, {result.kept} kept, {result.rejected} rejected{tries}"


def model_report_text(result: ModelReport) -> str:
    """Return what the language model read, and its state."""
    lines = []
    for model_read in result.reads:
        what = (
            ", ".join(f"{count} {name}" for name, count in Counter(saved.action for saved in model_read.saved).items())
            or "nothing"
        )
        lines.append(
            f"{session_ref(model_read.session)}: {model_read.error or what}"
            + (f", {len(model_read.rejected)} rejected" if model_read.rejected else "")
        )
        lines += [f"  rejected: {text} ({why})" for text, why in model_read.rejected]
    now = result.state
    held = [f"stopped    {now.stopped}"] if now.stopped else []
    held += [f"paused     {now.paused}"] if now.paused else []
    return "\n".join([*(lines or ([] if now.paused else ["Nothing was due."])), f"model      {model_state_text(now)}", *held])


def usage_text(result: ModelUsage) -> str:
    """Return the tokens used, one line for each day and model."""
    lines = [
        f"{use.day}  {use.calls:>5} calls  {use.input_tokens:>9} in  {use.output_tokens:>8} out  {use.cost:>9.4f}  {use.model}"
        for use in result.days
    ]
    today = f"today      {result.input_tokens} of {result.input_limit} tokens in, {result.output_tokens} of {result.output_limit} out"
    return "\n".join(
        [*(lines or ["No language model was asked."]), today, *([f"paused     {result.paused}"] if result.paused else [])]
    )


def model_state_text(result: ModelState) -> str:
    """Return which language model reads, its queue, and its use today."""
    if result.name == "none":
        return "none; patterns alone read conversations (setting llm)"
    waits = [f"{result.waiting} waiting"]
    waits += [f"{count} {what}" for count, what in ((result.failing, "failing"), (result.parked, "parked")) if count]
    return f"{result.name}: {', '.join(waits)}; this week {_took(result.week)}"


def _took(usage: Usage) -> str:
    money = f", ${usage.cost:.2f}" if usage.cost else ""
    return f"{usage.calls} readings, {usage.input_tokens} tokens in, {usage.output_tokens} out{money}"


def reader_text(result: ReaderState) -> str:
    """Return the reader, its use, its queue by project, and other available readers."""
    lines = [f"reads      {model_state_text(result.state)}"]
    lines += [f"stopped    {result.state.stopped}"] if result.state.stopped else []
    lines += [f"paused     {result.state.paused}"] if result.state.paused else []
    lines += [f"waiting    {count:>4}  {project or '(no project)'}" for project, count in sorted(result.projects.items())]
    lines += [f"never      {', '.join(result.excluded)}"] if result.excluded else []
    if result.state.name != "none":
        lines.append(f"samples    {trial_text(result.trial)}")
    for choice in result.choices:
        lines.append(f"could      {choice.title}, {choice.leaves}: vade reader use {choice.llm}")
        if choice.stronger:
            lines.append(f"           {stronger_text(choice.stronger)}")
    if result.state.name == "none" and not result.choices:
        lines.append("could      no program that could read was found here; a model by its name: vade reader use ollama:MODEL")
    return "\n".join(lines)


def stronger_text(model: StrongerModel) -> str:
    """Return how to use a stronger model, and its price."""
    price = f"about ${model.price_of_a_reading:.3f} a conversation on the price list of {model.listed}"
    where = ", counted against your plan if you have one" if model.llm.startswith("claude-cli") else ""
    return f"A stronger model finds more: vade reader use {model.llm} ({price}{where})."


def preview_text(result: ReadingPreview) -> str:
    """Return what would leave this machine of one conversation, and how to prevent it."""
    if not result.session:
        return "No conversation was captured yet; once one has ended, see what would be sent: vade reader show --preview"
    project = f", project {result.project}" if result.project else ""
    if not result.text:
        return f"Nothing of {result.title or result.session}{project} would be sent: it is excluded, or has no spoken turns."
    head = f"This would be sent of {result.title or result.session}{project} ({result.tokens} tokens):"
    keep_back = (
        f"To exclude this project: vade reader exclude {result.project}"
        if result.project
        else "To turn reading off: vade reader off"
    )
    return f"{head}\n\n{result.text}\n\n{keep_back}"


def trial_text(result: Trial) -> str:
    """Return the result of a reader on the built-in samples."""
    if result.tried is None:
        return "not tried yet; it is tried before it reads anything"
    return f"failed ({result.fault}): what it finds waits in the inbox" if result.fault else "passed"


VERBS = (
    Verb("reader queue", "List conversations that the reader has yet to read, and those that it could not read.", (),
         Vademecum.llm.queue, extractions_text, agents=False),
    Verb("reader queue --run", "Let the language model read the due conversations now.", (), Vademecum.llm.run, model_report_text,
         writes=True, agents=False),
    Verb("reader queue --retry", "Try again what failed or is parked, or the conversation named; a model that refused is asked again.",
         (Param("session", "text", "URI or id of the conversation; empty: all that failed.", "", place=True),),
         Vademecum.llm.retry, extractions_text, writes=True, agents=False),
    Verb("reader queue --drop", "Do not let the language model read a conversation, unless it gets new turns.",
         (Param("session", "text", "URI or id of the conversation.", place=True),), Vademecum.llm.drop, extractions_text,
         writes=True, agents=False, needs_enabled=False),
    Verb("reader show", "Which model reads conversations, its tokens this week, what waits, and which models could.", (),
         Vademecum.llm.reader, reader_text, agents=False),
    Verb("reader show --preview", "Show exactly what would be sent when a conversation is read.",
         (Param("session", "text", "URI or id of the conversation; empty: the next one.", "", place=True),),
         Vademecum.llm.preview, preview_text, agents=False),
    Verb("reader show --usage", "Tokens and cost of language models by day and model, and the rest of today's budget.",
         (Param("days", "number", "How many days back.", 30, least=1, most=3650),), Vademecum.llm.usage, usage_text,
         agents=False),
)  # fmt: skip
