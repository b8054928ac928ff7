"""The weights of ranking: log odds that order candidates. The comment at each begins with its source:

* *features*: docs/measurements/experiments.md#fewer-features; fitted on LoCoMo and BEAM, measured on three other sets.
* *notes*: docs/measurements/benchmarks-until-2026-11-27.md, titles and descriptions of the documentation of four projects.
* *prompts*: docs/measurements/experiments.md, prompts of several questions and long prompts; chosen on one half of ten persons.
* *standing*, *summary*: BEAM, on which they were also developed; standing counts only if a turn says "always ... when I ask".
* *hand*: set by hand on `vade bench mixed`; bounded, so that they shift the order without deciding it.
"""

from collections.abc import Mapping

#: Feature of :class:`vademecum.recall.features.Evidence` -> weight. The first seven rank turns; the others place memories and notes
#: among them.
FEATURES: Mapping[str, float] = {
    "words": 9.0,  # features: share of the possible BM25F, neighbours included
    "meaning": 3.5,  # features: cosine with the question
    "item": 3.5,  # features: share of the question that the item's candidates cover together
    "speaker": 1.8,  # features: said by the speaker whom the question names or means
    "time": 1.8,  # features: the text names a time, and the question asks for one
    "length": 1.0,  # features: ln(1 + stems) - LENGTH_NEUTRAL, bounded, where turns are short
    "agent": -2.2,  # features: said by the agent, unless the question asks for a summary or for what the agent said
    "memory_meaning": 3.5,  # features: additional weight of the cosine in a memory, which is one statement without neighbours
    "title": 12.0,  # notes: question and title of a note are equal (recall/titles.py)
    "note": -4.0,  # notes: constant for notes, so that with the next two an average note keeps its rank
    "note_meaning": 8.0,  # notes: additional weight of the cosine: the author of a note used other words than the question
    "note_item": 3.0,  # notes: additional weight of the share of the question that the note covers
}
#: Log odds added from what is known of the item and of the session.
ADDED: Mapping[str, float] = {
    "whole item": 3.0,  # features: match of the whole session, added to its best turn when items are ranked
    "meaning of a whole item": 3.5,  # features: with this the cosine of the best turn counts 7 when items are ranked
    "memory": 2.5,  # hand: a saved memory says more than a passing remark with the same words
    "about the person": 0.7,  # hand: a kind that says who the person is, if they ask about themselves
    "importance": 0.4,  # hand: shifts by at most half of this, up or down, to break ties
    "project": 0.7,  # hand: in the same project
    "period": 1.5,  # hand: within the period that the question names
    "topic": 2.0,  # hand: a fifth of the maximum of two arms; only in profiles with topics
    "lately, halving": 1.0,  # prompts: a current session compared with an old one
    "lately, falling": 2.0,  # prompts
    "throughout": 6.0,  # prompts: subtracted for matching the prompt less, as a whole, than the best session does
    "carried, in its item": 3.0,  # prompts: if it contains all rare words of the turns before the prompt
    "carried, in itself": 1.5,  # prompts
    "standing": 4.0,  # standing: a person's standing instruction that fits the prompt
    "of the topic": 2.0,  # summary: if it contains all rare words that recur in the first results
    "near in time": -0.5,  # summary: near a higher-ranked turn, so that a summary covers all times
    "of one speaker": -1.8,  # summary: cancels the speaker feature, because a summary covers all speakers
}
