"""A host, the program an agent runs in: what its hooks tell us, and what we may tell it."""

from dataclasses import dataclass
from typing import Literal

#: What just happened, in our words. "pause": the agent stopped and waits for the person; "shrink": the conversation is about
#: to be compacted; "other": nothing that we act on.
Moment = Literal["start", "prompt", "pause", "agent start", "agent end", "shrink", "end", "other"]


@dataclass(frozen=True, slots=True)
class HookEvent:
    """One call of a hook, told in our words.

    Attributes:
        host: name of the host, as in session URIs.
        event: the host's own name of the event; its answer must repeat it.
        session: the host's id of the conversation; "" when it gives none.
        cwd: folder the work goes on in, absolute; "" when not told.
        prompt: what was asked, for the moments "prompt" and "agent start".
        by_person: False when a program wrote the prompt (a schedule, a loop, a poll); nothing is recalled for those.
        cause: why, in the host's word: startup, resume, clear, compact, fork; or the reason of an end.
        transcript: path of the file the conversation is written to; "" when not told.
        agent: id of the sub-agent that this is about; "" for the main conversation.
        last_message: what the agent said last, when the host tells; its transcript may lag behind.
        model: model of the conversation, when told.
    """

    host: str
    moment: Moment
    event: str
    session: str
    cwd: str = ""
    prompt: str = ""
    by_person: bool = True
    cause: str = ""
    transcript: str = ""
    agent: str = ""
    last_message: str = ""
    model: str = ""


@dataclass(frozen=True, slots=True)
class Delivery:
    """What an event is answered with.

    Attributes:
        text: for the agent; "" for nothing.
        notice: one line for the person, never for the agent ("Loaded 3 memories: ..."); "" for none.
        keys: items that `text` holds.
        verdict: "told", or why nothing was: "nothing known", "already told", "not by a person", "disabled", "paused",
            "no answer wanted", "could not search".
        trace: id for `vade why`; "" when nothing was looked for.
    """

    text: str = ""
    notice: str = ""
    keys: tuple[str, ...] = ()
    verdict: str = "no answer wanted"
    trace: str = ""
