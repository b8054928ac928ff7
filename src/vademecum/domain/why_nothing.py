"""Every reason why an agent or a person is shown nothing, or not a certain memory. They are defined here and nowhere else.

Hooks write how they ended to their log (`vade doctor`), searches return theirs, and `vade why`, MCP and the command line name the
reason of each candidate that was left out. Where the decisions are made, in the order of a prompt:

1. `inject/deliver.py`: memory is off or paused (`inject/delivered.py` `why_silent`), or the index is damaged.
2. `inject/at_prompt.py`: no person wrote the prompt, another hook answered it, or nothing is left that the prompt needs.
3. `recall/arms.py` `search`: the prompt is a courtesy, or nothing matches.
4. `recall/eligibility.py`: a candidate is no evidence. `recall/threshold.py`: it is below the threshold. `recall/decide.py`: it
   is a repetition, or over a limit.
5. `inject/first_prompts.py`: a prompt does not touch what the start of its session held back.
6. `inject/worth_showing.py`: the prompt does not need a hit; `inject/bundle_text.py`: it does not fit into the budget.
7. `inject/delivered.py` `Occasion.record`: the host no longer waits, or everything was held out on purpose.
"""

from typing import Final, Literal

#: How a search ended.
SearchEnd = Literal["found", "nothing known", "could not search"]
#: How an event of a host was answered.
DeliveryEnd = Literal[
    "told", "nothing known", "not needed", "already told", "not by a person", "disabled", "paused", "held out", "too late",
    "no answer wanted", "could not search",
]  # fmt: skip

FOUND: Final = "found"
#: No candidate matches, or none reaches the threshold.
NOTHING_KNOWN: Final = "nothing known"
#: The index is damaged, or the search failed.
COULD_NOT_SEARCH: Final = "could not search"

#: Something was shown.
SHOWN: Final = "told"
#: There are hits, but the prompt needs none of them.
NOT_NEEDED: Final = "not needed"
#: The session has the hits already, or another hook answered the same event.
ALREADY_SHOWN: Final = "already told"
#: A program wrote the prompt: a schedule, a loop, a poll.
NOT_BY_A_PERSON: Final = "not by a person"
#: Memory is switched off.
DISABLED: Final = "disabled"
#: Memory is paused for the session or its folder.
PAUSED: Final = "paused"
#: All hits were held out of this session, to measure whether showing memories helps.
HELD_OUT: Final = "held out"
#: The host no longer waits.
TOO_LATE: Final = "too late"
#: The log of hooks only: the input of the hook was no event of its host.
NOT_UNDERSTOOD: Final = "not understood"
#: The event is none at which something is shown.
NO_ANSWER_WANTED: Final = "no answer wanted"

# Why a search skipped an arm or left out a candidate.
#: The deadline passed before the arm started.
NO_TIME_LEFT: Final = "the deadline had passed"
COURTESY: Final = "a courtesy asks for nothing"
BELOW_THRESHOLD: Final = "below the gate"
#: All candidates together reach the threshold, but this one does not reach the minimum of a single hit.
TOO_WEAK: Final = "too little speaks for it"
OVER_LIMIT: Final = "over the limit"
OVER_BUDGET: Final = "over budget"
OVER_QUOTA: Final = "the profile's quota for this kind is used up"
MEMORIES_FIRST: Final = "gave its place to memories"
LINKED_FIRST: Final = "gave its place to what is one hop away"
REPEATS: Final = "what is shown already says the same"
IN_THE_SESSION: Final = "the session has it already"
#: In the list of a recall: its score is far below that of the first hit.
FAR_BEHIND: Final = "clearly behind the first"

# Why a candidate is no evidence.
HANDOFF: Final = "a handoff tells where a session stopped"
SYNC_COPY: Final = "a sync tool's copy of a note"
SUPERSEDED: Final = "it was superseded"
SUCCESSOR_SHOWN: Final = "what took its place was shown"
#: Followed by the dates: "it holds until 2026-01-31".
VALID_ONLY: Final = "it holds"
OTHER_OF_THAT_NAME: Final = "it is about another of that name"
ONLY_FOR_QUESTIONS: Final = "what was said or written answers only who asks"
SAYS_NOTHING: Final = "it says nothing"
SAYS_NOTHING_NEW: Final = "it says nothing that the question does not"
ASKS_OR_ORDERS: Final = "it asks or orders"
BESIDE_A_QUESTION: Final = "it only stands beside a question"
HANDED_OVER: Final = "it was handed over to be worked on"
AGENT_WENT_ON: Final = "the agent went on by itself"
AGENT_ANNOUNCES: Final = "an agent only says what it does next"
AGENT_DID_NOT_KNOW: Final = "an agent did not know"

#: Stored reason -> its words for a person, where they differ.
_IN_WORDS = {
    BELOW_THRESHOLD: "too far from the question",
    ASKS_OR_ORDERS: "it is a question or an instruction",
    BESIDE_A_QUESTION: "it is only next to a question",
}


def in_words(reason: str) -> str:
    """Return why a candidate was left out, in words for a person."""
    return _IN_WORDS.get(reason, reason)
