"""Which of what an agent saves would bind agents: it waits for the person, who alone gives orders (X-37).

Decided by what the memory is, not by how dangerous its words sound: of the kinds that say how to work only a plain description of the
person passes; of the others what obliges, forbids, commands or holds each time waits. A task or a plan is worded like a command by nature;
it waits where it takes away, gives away or switches off something; so does what an agent keeps for itself, which is shown to it alone.
"""

import re
from collections.abc import Iterator
from itertools import product

from vademecum.domain.memory import Draft
from vademecum.language.load import languages

#: Kinds that say how agents are to work.
BINDING = frozenset({"preference", "style", "procedure", "skill"})
#: What an agent says that it can do, which binds nobody.
_SKILLED = "competence"
#: Kinds that are worded like commands though nobody is to follow them now.
_TO_DO = frozenset({"task", "plan", "idea", "spec", "handoff", "project", "event", "source", "self"})
#: Kinds that are titled by the name of a thing, which may begin with what could be a verb: "Write queue", "Build pipeline".
_NAMED = frozenset({"module", "component", "dependency", "flow", "entity", "concept"})
_NAME = re.compile(r"\w[\w-]*(?: \w[\w-]*){0,2}(?=,|$)")
_FILE = "binding"
_SENTENCE_END = re.compile(r"\n+|(?<=[.!?;:。！？；：])\s+|(?<=[。！？；])")
#: A part of a sentence can be a command of its own when it has so many words.
_CLAUSE, _CLAUSE_MIN_WORDS = re.compile(r"[,，—–]\s*"), 3
_MARKER = re.compile(r"^[\s>#*_`\"'“”‘’•+\-–—\[\]()\dxX.]+")


def binds(draft: Draft) -> bool:
    """Return whether a memory that an agent made on its own word would be an order to agents."""
    own = bool(draft.properties.get("agent"))
    signs = ("harm",) if own or draft.kind in _TO_DO else ("harm", "order", "imperative")
    title = draft.title.strip()
    name = _NAME.match(title) if draft.kind in _NAMED else None
    text = f"{title[name.end() :].lstrip(' ,') if name else title}\n{draft.body}"
    named = [(name[0], sign) for sign in signs if name and sign != "imperative"]
    if any(languages().sign(_FILE, sign).search(entry) for entry, sign in (*product(_clauses(text), signs), *named)):
        return True
    if own or draft.kind not in BINDING or draft.properties.get("facet") == _SKILLED:
        return False
    texts = [_MARKER.sub("", entry) for entry in _SENTENCE_END.split(draft.body.strip() or draft.title)]
    return not all(languages().sign(_FILE, "describing").search(entry) for entry in texts if entry)


def _clauses(text: str) -> Iterator[str]:
    """Yield the sentences of a text, and their parts behind commas that are long enough for a command."""
    for sentence in _SENTENCE_END.split(text):
        whole = _MARKER.sub("", sentence)
        if whole:
            yield whole
            yield from (entry for entry in _CLAUSE.split(whole)[1:] if entry.count(" ") >= _CLAUSE_MIN_WORDS - 1)
