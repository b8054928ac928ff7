"""Decide which memories of an agent would instruct agents: these wait for the person, who alone gives orders (X-37).

The kind of a memory decides, not how dangerous its words sound. Of the kinds that say how to work, only a plain description of
the person is saved directly; of other kinds, text that obliges, forbids, commands or applies every time waits. A task or a plan
is worded like a command by nature, so it waits only if it deletes, discloses or disables something; so does an agent's own
memory, which is shown to that agent alone.
"""

from collections.abc import Iterator
from itertools import product

from vademecum.domain.late_pattern import late_pattern
from vademecum.domain.memory import Draft
from vademecum.language.load import languages

#: Kinds that say how agents should work.
BINDING = frozenset({"preference", "style", "procedure", "skill"})
#: An agent's statement of its own abilities, which instructs nobody.
_SKILLED = "competence"
#: Kinds that are worded like commands without being instructions.
_TO_DO = frozenset({"task", "plan", "idea", "spec", "handoff", "project", "event", "source", "self"})
#: Kinds titled by the name of a thing, which may begin with a word that is also a verb: "Write queue", "Build pipeline".
_NAMED = frozenset({"module", "component", "dependency", "flow", "entity", "concept"})
_NAME = late_pattern(r"\w[\w-]*(?: \w[\w-]*){0,2}(?=,|$)")
_FILE = "binding"
_SENTENCE_END = late_pattern(r"\n+|(?<=[.!?;:。！？；：])\s+|(?<=[。！？；])")
#: Minimum number of words of a clause to be checked as a command of its own.
_CLAUSE, _CLAUSE_MIN_WORDS = late_pattern(r"[,，—–]\s*"), 3
_MARKER = late_pattern(r"^[\s>#*_`\"'“”‘’•+\-–—\[\]()\dxX.]+")


def binds(draft: Draft) -> bool:
    """Return whether a memory made by an agent on its own authority would be an instruction to agents."""
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
    """Yield the sentences of a text, and clauses after a comma that are long enough for a command."""
    for sentence in _SENTENCE_END.split(text):
        whole = _MARKER.sub("", sentence)
        if whole:
            yield whole
            yield from (entry for entry in _CLAUSE.split(whole)[1:] if entry.count(" ") >= _CLAUSE_MIN_WORDS - 1)
