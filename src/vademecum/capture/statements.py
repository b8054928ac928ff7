"""Statements that no pattern knows, found by their cues: what a person says in their own words.

A sentence alone is often not what was stated. People tie a request to a statement with a comma, say what they found in one
sentence and what cured it in the next, and say "I don't want those" of what stands before. So parts of a sentence are judged
too, a find is taken with its cure, and a sentence that points back is taken with what it points to.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from vademecum.capture.cues import found
from vademecum.capture.judge import KINDS, Judgement, flattened, judge, tells_change
from vademecum.capture.patterns import (
    ASKED,
    FAULTY,
    FOUND,
    FROM_OTHERS,
    HANDED,
    MAKING,
    MUSING,
    OLD,
    POINTS_BACK,
    PROVISIONAL,
    SHOWN,
    WHEN_FIRST,
)
from vademecum.capture.speech import Sentence

#: From here on a statement is saved, and from here on it is proposed.
SURE, LIKELY = 0.8, 0.65
#: What is less likely than this must bring along so many cues to be proposed: a guess that shows little for itself wastes the
#: person's time (X-24).
PLAIN, PROPOSED_CUES = 0.75, 2
#: What so likely tells of a change is worth a look: it is kept if it takes the place of something known.
CHANGE_LIKELY = 0.2
#: What so surely tells of a change is no lesson: of lessons there can be many that look alike, and none gives way to another.
CHANGED_KIND = 0.95
#: What points back to nothing is taken alone from here on.
ALONE_SURE = 0.95
#: A sentence that seems this unlikely is not saved for one part's sake; the part is, when it is this likely.
WHOLE_LEAST, PART_SURE = 0.4, 0.92
#: A fault that is told as a fact, a decision or a preference, with neither cause nor cure, is news of the moment below this.
FAULT_SURE, EXPLAINING = 0.995, {"cause", "cured", "lesson", "decided", "lasting", "we", "our"}
#: What goes over so many line breaks without the end of a sentence was pasted.
PASTED_BREAKS = 2
#: Fewer words are no statement of their own.
PART_WORDS = 3
#: A find is joined with so many sentences behind it.
FIND_REACH = 2
#: More than this is no statement any more; a sentence much longer is not even looked into.
JOINED_MAX_CHARS, SENTENCE_MAX_CHARS = 300, 500

#: Whoever muses, or goes on for more than so many words, tells of their days, unless one of these speaks; what is long needs so much.
LASTING = {"lasting", "always", "lesson", "cured", "decided", "moved"}
LONG_WORDS, LONG_SURE = 25, 0.98

#: Kind -> the cues it is told by, and how likely it must be without any of them.
_TOLD_BY: Mapping[str, tuple[frozenset[str], float]] = {
    "decision": (frozenset({"decided", "out", "moved", "lasting", "future", "anew", "stays"}), 0.8),
    "fix": (frozenset({"cured", "cause", "fault", "lesson"}), 0.8),
}
#: Kind that a statement is of -> how many of ten labelled ones of it could as well be filed under decision, preference, identity, fact, fix
#: and lesson (372 labels of six sets of `bench/learn`, which name all kinds that fit).
_FILED_UNDER: Mapping[str, tuple[float, ...]] = {
    "decision": (10, 5.6, 0, 8.2, 0, 0.4),
    "preference": (5.2, 10, 0.5, 3, 0, 0.5),
    "identity": (0.2, 1.2, 10, 7.8, 0, 0),
    "fact": (4.8, 2.4, 1.7, 10, 0.1, 0.9),
    "fix": (1, 0, 0, 7.4, 10, 8.7),
    "lesson": (6.9, 6.9, 0, 6.2, 1.5, 10),
}
#: How much its own kind counts beside those that it could be filed under as well.
OWN_KIND = 0.1

_GAP = re.compile(
    r"\s*(?:(?<!\d)[,:]|[,:](?!\d)|[;，；：、—]|\s-{1,2}\s)\s*(?:(?:and|but|so|then|also|e|mas|und|aber|also|y|pero|así que|por isso)\s+)?"
)
#: What one says before one says anything: a name in this place belongs to the statement.
_FILLER = (
    "a+h+|o+h+|aha|ha|hm+|yes|yep|yeah|no|nah|nope|ok|okay|so|well|right|good|great|sure|sorry|thanks|hi|hiya|hello|hey|listen|look|actually"
    "|anyway|honestly|true|exactly|ja|jo|nein|doch|gut|super|genau|stimmt|also|ach|na|hallo|servus|danke|übrigens|sí|si|vale|listo|claro|bueno"
    "|pues|perfecto|oye|mira|hola|gracias|exacto|correcto|sim|não|tá|certo|isso|olha|ó|oi|olá|então|pois|pronto|exato|obrigad[oa]"
)
#: A few words in front of a colon or a dash, or one that says nothing in front of a comma.
_PREFACE = re.compile(rf"([^:：,，]{{1,60}}?)(?::\s|：|\s[—–-]{{1,2}}\s)|({_FILLER}),\s", re.IGNORECASE)
#: A question of a few words behind a comma, at the end.
_TRAILING_QUESTION = re.compile(r"\s*[,;，；—]\s*(?:\w+[ '-]?){1,4}[?？]\s*$")
#: What is handed over on the same line, three words or more.
_BEHIND_COLON = re.compile(r"(?:[:：]|\s[—–-]{1,2}\s)\s*(?:\S+\s+){2}\S|[:：][^\n]{6}")
_PARAGRAPH_END = re.compile(r"[ \t]*[:：]?[ \t]*\n[ \t]*\n")
_WORD = re.compile(r"[^\W\u4e00-\u9fff]+|[\u4e00-\u9fff]{2}")


@dataclass(frozen=True, slots=True)
class Statement:
    """Something durable that a person said.

    Attributes:
        kind: of the memory. durable: 0..1, how likely it is one.
        text: what to remember. cues: (class, its words), the strongest first.
        taken: how many sentences it was made of, those behind the first. back: how many in front of it.
        old: words of what it does away with, or "".
    """

    kind: str
    durable: float
    text: str
    cues: tuple[tuple[str, str], ...]
    taken: int = 0
    back: int = 0
    old: str = ""


def own_words(said: Sequence[Sentence], text: str) -> Iterator[Sentence]:
    """The sentences of a turn in which the person speaks for themselves: not what they ask to have written, translated or told."""
    for sentence in said:
        if "notes, not instructions" in sentence.said.lower():  # our own briefing, repeated: what follows is ours too
            return
        if text[sentence.start : sentence.end].strip().count("\n") >= PASTED_BREAKS:
            continue
        if MAKING.search(sentence.said):
            rest = text[sentence.start : sentence.end + 1].rstrip()
            behind = "\n" in text[sentence.end :] or _BEHIND_COLON.search(sentence.said)
            if rest.endswith((":", "：")) or behind or FROM_OTHERS.search(sentence.said):
                return
            continue
        if SHOWN.search(sentence.said) and _PARAGRAPH_END.match(text, sentence.end):
            return
        if HANDED.search(sentence.said) and text[sentence.start : sentence.end + 1].rstrip().endswith((":", "：")):
            return
        if FROM_OTHERS.search(sentence.said):
            if text[sentence.start : sentence.end + 1].rstrip().endswith((":", "：")) or ":\n" in text[sentence.start :]:
                return
            continue
        yield sentence


def statement(said: Sequence[Sentence], place: int) -> Statement | None:
    """What the sentence at a place states, with its neighbours where it needs them; None when nothing durable."""
    sentence = said[place]
    if len(sentence.said) > SENTENCE_MAX_CHARS:
        return None
    if asks_or_passes(sentence.said):
        return _before_the_question(sentence)
    find = _find(said, place)
    if find is not None:
        return find
    if POINTS_BACK.search(sentence.said):
        return _with_antecedent(said, place)
    best = _best_part(sentence)
    return _statement(sentence, *best) if best is not None and not _is_talk(sentence.said, best[1]) else None


def change_told(said: Sequence[Sentence], place: int) -> Statement | None:
    """A sentence that may tell of a change; None for any other."""
    sentence = said[place]
    if len(sentence.said) > JOINED_MAX_CHARS or asks_or_passes(sentence.said) or tells_change(sentence.said) < CHANGE_LIKELY:
        return None
    judged = judge(sentence.said)
    return Statement(
        _kind(judged, changed=True), judged.durable, _without_preface(sentence.text), judged.cues, old=done_away(sentence.said)
    )


def done_away(text: str) -> str:
    """Words of what a statement does away with, when it names that, or ""."""
    found = OLD.search(text)
    words = next((" ".join(words.split()) for words in found.groups() if words), "") if found else ""
    return "" if len(words.split()) > 4 else words.strip(" ,.;:")


def _with_antecedent(said: Sequence[Sentence], place: int) -> Statement | None:
    """A sentence that points back, with the one it points to, if that says anything; alone when it is sure by itself."""
    sentence, alone = said[place], judge(said[place].said)
    before = said[place - 1] if place and len(_WORD.findall(said[place - 1].said)) >= PART_WORDS else None
    if before is None:
        return _statement(sentence, sentence.text, alone) if alone.durable >= ALONE_SURE else None
    if asks_or_passes(before.said):
        return None
    together = judge(f"{before.said} {sentence.said}")
    judged = max(alone, together, key=lambda one: one.durable)
    if judged.durable < LIKELY:
        return None
    stated = _statement(sentence, f"{_ended(before.text)} {sentence.text}", judged)
    return replace(stated, back=1) if stated is not None else None


def _before_the_question(sentence: Sentence) -> Statement | None:
    """What stands in front of a short question that trails behind it: "I run a bookshop and need a sign, ideas?"."""
    asked = _TRAILING_QUESTION.search(sentence.said)
    if asked is None or asks_or_passes(sentence.said[: asked.start()]):
        return None
    judged = judge(sentence.said[: asked.start()])
    return _statement(sentence, sentence.said[: asked.start()], judged) if judged.durable >= PART_SURE else None


def _statement(sentence: Sentence, text: str, judged: Judgement) -> Statement | None:
    told = _without_preface(text)
    if told != text:  # what leads into a statement speaks for it too
        judged = _surer(judged, judge(told))
    kind = _kind(judged, changed=tells_change(told) >= CHANGED_KIND)
    if (judged.durable < PLAIN and len(judged.cues) < PROPOSED_CUES) or _is_news(told, kind, judged):
        return None
    if len(told) > JOINED_MAX_CHARS or (kind != "preference" and WHEN_FIRST.search(sentence.said)):
        return None
    return Statement(kind, judged.durable, told, judged.cues, old=done_away(text))


def _is_news(said: str, kind: str, judged: Judgement) -> bool:
    """Whether it only tells of a fault: "the import dies at 500 rows"."""
    if kind not in ("fact", "decision", "preference") or judged.durable >= FAULT_SURE:
        return False
    return FAULTY.search(said) is not None and EXPLAINING.isdisjoint(cue for cue, _ in judged.cues)


def _without_preface(text: str) -> str:
    """The text without what only leads into it: "before I forget - ...", "no longer matters what I said: ..."."""
    preface = _PREFACE.match(text)
    if (
        preface is None
        or judge(preface[1] or preface[2]).durable >= LIKELY
        or judge(text[preface.end() :]).durable < WHOLE_LEAST
    ):
        return text
    return text[preface.end() :]


def asks_or_passes(said: str) -> bool:
    """Whether it asks, holds for now only, or leads into something that is shown."""
    return bool(ASKED.search(said) or PROVISIONAL.search(said)) or said.endswith((":", "："))


def _is_talk(said: str, judged: Judgement) -> bool:
    """Whether it tells at length, or of what somebody thinks and feels, with nothing in it that says that it lasts."""
    flat = flattened(said)
    musing = MUSING.search(flat) is not None
    long = len(said.split()) > LONG_WORDS and judged.durable < LONG_SURE
    return (musing or long) and not LASTING & {cue.name for cue, _ in found(flat)}


def _find(said: Sequence[Sentence], place: int) -> Statement | None:
    """What was found, with what cured it in the sentences behind."""
    if not FOUND.search(said[place].said):
        return None
    last = min(len(said), place + 1 + FIND_REACH)
    for end in range(last, place, -1):
        several = [one for one in said[place:end] if not asks_or_passes(one.said)]
        text = " ".join(_ended(one.text) for one in several)
        judged = judge(" ".join(one.said for one in several))
        spoke = dict(judged.cues)
        if judged.durable >= LIKELY and judged.kind in ("fix", "lesson") and "cured" in spoke and len(text) <= JOINED_MAX_CHARS:
            return Statement(judged.kind, max(judged.durable, SURE), text, judged.cues, taken=end - place - 1)
    return None


def _best_part(sentence: Sentence) -> tuple[str, Judgement] | None:
    """The sentence, when it or a part of it is sure enough; a part alone, when the rest speaks against; else None."""
    whole = judge(sentence.said)
    parts = [(part, judge(part)) for part in _parts(sentence.said)]
    text, judged = max(parts, key=lambda part: part[1].durable, default=(sentence.text, whole))
    if whole.durable >= LIKELY:
        return sentence.text, whole if whole.durable >= judged.durable or judged.kind == "none" else _surer(whole, judged)
    if judged.durable >= SURE and whole.durable >= WHOLE_LEAST:
        return sentence.text, judged
    if judged.durable >= PART_SURE:
        return text, judged
    return None


def _surer(whole: Judgement, part: Judgement) -> Judgement:
    """The whole's judgement, as sure as its surest part."""
    return replace(whole, durable=max(whole.durable, part.durable), cues=whole.cues or part.cues)


def _parts(said: str) -> Iterator[str]:
    """What stands between two commas, and what stands in front of or behind one."""
    gaps = list(_GAP.finditer(said))
    bounds = [0, *(gap.end() for gap in gaps)], [*(gap.start() for gap in gaps), len(said)]
    for number, start in enumerate(bounds[0]):
        for end in {bounds[1][number], len(said)} if number else set(bounds[1][:-1]):
            part = said[start:end].strip()
            if part != said and len(_WORD.findall(part)) >= PART_WORDS and not asks_or_passes(part):
                yield part


def _kind(judged: Judgement, *, changed: bool = False) -> str:
    """What it is kept as: the kind under which most people would file it, by how likely it is of each.

    Args:
        changed: it tells that something changed, which is no lesson.
    """
    if not judged.kinds:
        return judged.kind
    spoke = {cue for cue, _ in judged.cues}
    worth = {
        kept: sum(
            share * (_FILED_UNDER[kind][number] / 10 * (1 - OWN_KIND) + OWN_KIND * (kind == kept))
            for kind, share in zip(KINDS[1:], judged.kinds, strict=True)
        )
        for number, kept in enumerate(KINDS[1:])
        if not (changed and kept == "lesson")
        and (kept not in _TOLD_BY or _TOLD_BY[kept][0] & spoke or judged.kinds[number] >= _TOLD_BY[kept][1])
    }
    return max(worth, key=worth.__getitem__)


def _ended(text: str) -> str:
    text = text.strip(" \t-–—,;:")
    return text if text.endswith((".", "!", "?", "…", "。", "！", "？")) else text + "."
