"""Every weight that orders candidates, in one table: what it is worth in log odds, and where it comes from.

The threshold has constants of its own (threshold.py): they say whether anything is shown, and order nothing. Sources:

* *features*: docs/measurements/experiments.md#fewer-features; fitted on LoCoMo and BEAM, measured on three other sets.
* *notes*: docs/measurements/benchmarks-until-2026-11-27.md, titles and descriptions of the documentation of four projects.
* *prompts*: docs/measurements/experiments.md, prompts of several questions and long prompts; chosen on one half of ten persons.
* *standing*, *summary*: BEAM, where they were looked at; standing counts only where a turn says "always ... when I ask".
* *hand*: set by hand on `vade bench mixed`; bounded, so that they sway and do not decide.
"""

from collections.abc import Mapping

#: Feature of :class:`vademecum.recall.features.Evidence` -> weight. The first seven rank turns, the others memories and notes among them.
FEATURES: Mapping[str, float] = {
    "words": 9.0,  # features: BM25F share of the possible, neighbours included
    "meaning": 3.5,  # features: cosine with the question
    "item": 3.5,  # features: how much of the question the item's candidates cover together
    "speaker": 1.8,  # features: said by the person that the question names or means
    "time": 1.8,  # features: names a time, and the question asks for one
    "length": 1.0,  # features: ln(1 + stems) - LENGTH_NEUTRAL, bounded, where turns are short
    "agent": -2.2,  # features: said by the agent, when the question does not ask for a summary or for what the agent said
    "memory_meaning": 3.5,  # features: the cosine once more in a memory, which is one statement and no turn among others
    "title": 12.0,  # notes: the question and the title of the person's note are the same (recall/titles.py)
    "note": -4.0,  # notes: a note of the person's; with the next two, so that the average one stays where it was among the rest
    "note_meaning": 8.0,  # notes: the cosine once more there: who wrote a note used other words than who asks
    "note_item": 3.0,  # notes: and how much of the question the whole note covers
}

#: What is added for whole items, by what is known of them, and by what the conversation is about.
ADDED: Mapping[str, float] = {
    "whole item": 3.0,  # features: what a conversation that speaks of the question all along adds to its best turn, as a whole
    "meaning of a whole item": 3.5,  # features: so the cosine of its best turn counts 7 there
    "memory": 2.5,  # hand: a memory that the person keeps says more than a passing remark with the same words
    "about the person": 0.7,  # hand: of a kind that says who the person is, when they ask about themselves
    "importance": 0.4,  # hand: moves by at most half of this, up or down: it breaks ties
    "project": 0.7,  # hand: of the same project
    "period": 1.5,  # hand: of the period that the question names
    "topic": 2.0,  # hand: a fifth of the most that two arms can give; only where the profile looks at topics
    "lately, halving": 1.0,  # prompts: a conversation of just now against one of long ago
    "lately, falling": 2.0,  # prompts
    "throughout": 6.0,  # prompts: what a conversation that speaks less of the prompt than another loses beside it
    "carried, in its item": 3.0,  # prompts: all rare words of the turns before the prompt
    "carried, in itself": 1.5,  # prompts
    "standing": 4.0,  # standing: a person's instruction for good, which the prompt fits
    "of the topic": 2.0,  # summary: all rare words that come again in what was found first
    "near in time": -0.5,  # summary: next to a turn that stands above, so that a summary tells of all times
    "of one speaker": -1.8,  # summary: a summary is of what all said
}
