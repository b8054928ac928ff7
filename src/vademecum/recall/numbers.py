"""Every fitted or chosen number of `recall`, by the module that uses it.

Where a comment names no source the number was chosen by hand: to bound time or the length of what is shown. Sources of the weights:

* *features*: docs/measurements/experiments.md#fewer-features; fitted on LoCoMo and BEAM, measured on three other sets.
* *notes*: docs/measurements/benchmarks-until-2026-11-27.md, titles and descriptions of the documentation of four projects.
* *prompts*: docs/measurements/experiments.md, prompts of several questions and long prompts; chosen on one half of ten persons.
* *standing*, *summary*: BEAM, where they were looked at; standing counts only where a turn says "always ... when I ask".
* *hand*: set by hand on `vade bench mixed`; bounded, so that they sway and do not decide.

The numbers of threshold.py say whether anything is shown, and order nothing.
"""

from collections.abc import Mapping

# arms.py: the arms of recall
#: Postings the word arm may read; beyond, only cost grows (docs/measurements/experiments.md).
POSTINGS = 6000
#: Seconds that loading a model may take; with less time than that, one that is not loaded is not waited for.
LOADING_S = 0.3
#: Items of one name that are looked at.
NAMED_MOST = 8
#: Words of the index that stand in for one of the question, at most, in profiles that look for mistyped ones.
LIKE_MOST = 16
#: Passages that are read to see whether a word is written as a name.
READ_FOR_NAME = 8
#: A name may be spelt otherwise in one of so many letters; in a larger index looking for such names takes too long for a prompt.
NAME_EDITS, ALIKE_MOST_PASSAGES = 0.25, 300_000

# by_words.py: which memories answer a question, by its words alone
#: A memory answers that holds this share of what the question's words are worth, and so many of them at least.
BY_WORDS_SHARE, BY_WORDS_LEAST = 0.6, 2
#: One of them must stand in no more passages than these, or than this share of all.
BY_WORDS_FEW, BY_WORDS_COMMON = 3, 0.1
#: Memories that are looked at, and passages of one word; a word of more counts as one that none holds.
BY_WORDS_READ, BY_WORDS_READ_OF_WORD = 20, 5_000

# breadth.py: questions that one turn does not answer
#: Turns that are read for what belongs to a topic, and words that are taken from them: those that come again in so many.
BREADTH_READ, WORDS_MOST, AGAIN = 12, 8, 2
#: Turns among which the answer is chosen.
CHOSEN_FROM = 120

# candidates.py: candidates
#: Candidates whose neighbours are candidates too, from each arm; and how far a turn's surroundings reach.
STRONGEST, AROUND = 40, 2
#: Meaning counts in a pool when this share of its passages in sight has vectors.
COVERED = 0.9

# conversation.py: what the conversation adds to its next prompt
#: Turns before the prompt that are looked at, what each counts, the last first, and how much of one, in characters.
TURNS_BEFORE, TURN_CHARS = (1.0, 0.5), 2000
#: Words carried over, the rarest.
CARRIED_MOST = 12
#: In so many days what lately said counts falls to a half, and to the e-th part. What work goes on with was mostly said lately.
RECENCY_DAYS = 30.0
#: What speaks for a prompt of work going on with a conversation, in log odds: that the one that says most of the prompt was the last one,
#: in so many days falling to the e-th part; and each point of BM25 by which it says more than the `OTHERS`-th, up to `AHEAD_MOST` points.
#: Together they are held against what such a prompt is expected to have.
HELD_LATELY, LATELY_DAYS, AHEAD, AHEAD_MOST, OTHERS, CONVERSATION_EXPECTED = 4.0, 7.0, 0.2, 20.0, 6, 4.0
#: Of fewer conversations none stands out.
NOTHING_TO_COMPARE = 2

# decide.py: decide which candidates are the answer
#: So many passages of a note are read for one that says something.
READ_OF_NOTE = 12
#: Of so many turns the texts are read at once; an answer seldom looks at more.
READ_AT_ONCE = 32
#: Memories linked to so many of the best hits come along, so many at most, whatever their words (one hop).
LINKED_FROM, LINKED_MOST = 3, 3
#: So likely must be what is shown beside an order or a statement, which most often needs nothing; and what was said in conversations,
#: where the prompt as a whole is likely to go on with one of them.
BESIDE_WHAT_ASKS_NOTHING, SAID_BESIDE = 0.6, 0.3
#: And what was said in conversations, beside a question: where the answer as a whole is sure enough, a stricter floor for each turn cost
#: 2 to 8 of 100 questions their answer and kept nothing unrelated away.
ASKED = 0.05
#: A question is answered by several turns of a conversation more often than by several conversations: where the answer is full, turns that
#: come so near to the first, in log odds, stand under the hit of their conversation, while its texts have no more characters than these.
NEAR_FIRST, ENTRY_CHARS = 4.0, 1_000
#: Turns that are not shown of which the story tells why.
LEFT_MOST = 20
#: What does not hold now comes behind what does and answers nearly as well: at most so much behind, in log odds.
NEARLY = 3.0
#: A passage that holds the whole text of a hit above, of at least so many characters, adds nothing.
TELLING_CHARS = 24

# eligibility.py: what may stand as an answer, in one place
#: Turns whose words are judged before anything is counted, best first; those behind are judged when one of them would be told.
JUDGED = 64
#: A turn without a word of the question speaks for itself from this cosine on.
BY_MEANING = 0.35
#: A longer piece of a turn says something, whatever its first words are.
SAYING_CHARS = 1500
#: So many passages of a turn are read to see whether it is a document.
READ_OF_TURN = 8
#: A clause of fewer words or, without spaces, pairs of characters says nothing before a question.
SAYING_TOKENS = 4
#: An agent that says no more than this and does not know tells nothing else.
DENIAL_CHARS = 300
#: A passage of fewer letters says nothing; a character of a script without spaces counts as three.
SAYING_LETTERS = 12
#: An agent's answer of no more than this is one line.
LINE_CHARS = 200

# features.py: what speaks for a turn being the answer
#: BM25 as in Robertson & Zaragoza (2009), the constants that SQLite's own bm25() uses.
K1, B = 1.2, 0.75
#: Weight of a stem in the turns one and two away, and how many stems of such a turn count.
NEAR, FAR, HEAD = 0.7, 0.4, 40
STEPS = ((-1, NEAR), (1, NEAR), (-2, FAR), (2, FAR))
#: Of a term that is repeated in a conversation so many occurrences in a passage count; what its BM25 is divided by.
REPEATS_COUNTED, WHOLE_SCALE = 3, 30
#: Longer turns are not better answers: the number of stems that counts is bounded.
LENGTH_COUNTED = 60
#: Candidates, best first by the cheap features, whose text is read for times and numbers.
FEATURES_READ = 80
#: ln(1 + stems) of a turn that is neither short nor long.
LENGTH_NEUTRAL = 3.2
#: Turns of so many stems are chat; the longer they are, the less their neighbours tell.
CHAT_STEMS, LONG_STEMS = 25, 60
#: A word is not common because one of three notes has it: a smaller collection is taken for one of so many passages.
FEATURES_FEWEST = 50

# likeness.py: cosines of any model, in any language, on one scale
#: Below this d' a model cannot tell in a language what belongs together; one more, and it counts in full.
TELLS_NOTHING = 1.0

# link_expansion.py: one step further than the answer
#: Hits when no number is given, and at most, as in the design this follows.
USUAL, LINK_EXPANSION_MOST = 5, 15
#: Of so many hits the surroundings are looked at; one in so many places is theirs, if there are any.
LINK_EXPANSION_LOOKED_AT, ONE_IN = 5, 3
#: Memories of a topic that are weighed.
OF_A_TOPIC = 50

# names.py: whether a question asks for something by its name
#: A longer text is no name.
NAME_MAX_CHARS = 120
#: Names whose words are remembered: the same ones are compared with each question.
NAMES_KEPT = 4096
#: So many words make a name that is known within a longer question.
WORDS_WITHIN = 2

# query_parsing.py: a prompt is not a query
#: Prompts longer than this are pasted bulk: only the start and the end, where people ask, are looked for.
ASKED_CHARS = 1200
#: A question of so many words or fewer is short.
SHORT_WORDS = 5
#: Of a prompt that asks so many things or fewer each is looked for by itself too.
QUESTIONS_MOST = 3
#: Signs of a person's name, behind that of the family, by which a script without spaces tells it.
NAMED_BY = 2
#: Two names are spelt almost alike from this share of common letters on ("Katrin", "Katryn": .83; "Joanna", "John": .6).
ALIKE = 0.7

# questions.py: questions on their way to becoming vectors, in threads beside the one that asks
#: So many wait for one another at most; together they take half the time, but the first waits for the last.
TOGETHER = 8
#: Expected questions that nobody has asked yet; the oldest are given up.
QUESTIONS_EXPECTED = 64

# relevance.py: how much the name of a memory has to do with a question
ALIAS_WEIGHT = 1.5
#: Shares of meaning and of the name, and from where on an entry is chosen: by both, or by its name alone.
RELEVANCE_MEANING, NAME = 0.6, 0.4
ENOUGH, ENOUGH_BY_NAME = 0.10, 0.15

# several.py: one answer to a prompt that asks several things
#: Confidence of one question of a prompt from which on it is answered though the whole is not.
SURE_ALONE = 0.8

# stages.py: when in a session memory is asked, as data
FOCUS_EACH = 4

# instructions.py: standing instructions
#: So many turns that instruct for good what to do when something is asked are raised, of those that the prompt found.
STANDING_MOST = 3
#: Turns that are read for one, best first.
STANDING_READ = 20

# successors.py: what stands today in the place of a memory that was superseded
#: Steps along a chain at most; a longer one has a loop in it.
STEPS_MOST = 100

# threshold.py: whether anything should be said at all
#: Weights of the share of the question's possible BM25, and of names that nobody ever wrote.
WORDS, NAMES = 14.0, 0.54
#: Log odds that each pair of signs counts against a question which stands in a row of more than RUN that nobody wrote: in a script without
#: spaces that is how the name of a thing nobody spoke of looks. At most UNMET_MOST: other words may have been used for the same.
UNMET, RUN, UNMET_MOST = 0.8, 2, 1.6
#: Weight of a deviation by which a cosine is above, or below, what an answer is expected to have: d' x (CHANCE x the deviations that
#: the best of so many unrelated ones are expected to reach - BASE).
THRESHOLD_MEANING, CHANCE, BASE = 0.183, 0.64, 0.65
#: Passages of the smallest index that they were fitted on; a smaller one is judged as if it had so many.
THRESHOLD_FEWEST = 9
#: A long prompt is covered by no single turn, but by a conversation that speaks of it throughout: log odds when one says e times more
#: of it than CHANCE_OF_WHOLES x (what the prompt's words weigh) ** ROOT, less when it says less, none below that.
WHOLE, CHANCE_OF_WHOLES, ROOT = 1.5, 6.4, 0.25
#: Log odds of a question that nothing speaks for, in each pool: a memory was written down to be told.
BIAS = {"memory": -1.6, "document": -4.2, "session": -2.2}
#: What a memory has for it when the person asks about themselves, and more when it is of a kind that says who they are.
ABOUT_THE_PERSON, OF_PERSONAL_KIND = 1.2, 0.8
#: Weight of a note's title that is what the question says (recall/titles.py).
TITLE = 3.0
#: Log odds of a question in another language than the passage that comes near it, in any pool: there no word could speak for it, so
#: that none does says nothing. So many of the nearest are looked at.
ACROSS, NEAREST = -1.0, 5
#: A memory is one statement, so words and meaning must speak for the same one: log odds are SHARE x the share of the question that it
#: holds, a point for each deviation of its cosine, and OWN where it says who the person is and they ask about themselves, less NEEDED;
#: never more than the formula above gives. In a few memories each word is rare, so one shared word ("autumn") would speak for any.
SHARE, OWN, NEEDED = 6.0, 1.4, 6.75
#: By words alone a memory among so few passages that each word is rare (features.FEWEST) must hold so much of the question, or words that
#: weigh so many times what the rarest one does; BY_WORDS log odds for each time more or less than that.
HELD, RAREST, BY_WORDS = 0.3, 1.1, 8.0
#: A question of few or common words is covered by chance: below this sum of inverse frequencies (at PASSAGES; they grow with
#: the logarithm of the index) its words count in proportion.
TELLING, PASSAGES = 10.0, 600
#: Turns that are looked at for the best words.
TOP = 10
#: A memory is one statement: beside a surer one it must be as likely as this by itself, where a floor is asked for. Turns of a
#: conversation lean on those around them, so theirs is the profile's.
FLOOR_OF_MEMORIES = 0.05
#: Confidence of what is asked for by its name, at least.
OF_A_NAME = 0.95

# titles.py: what the title of a note has to do with a question
#: Notes whose titles are looked at, best first by all else: each costs a look into the index.
TITLES_LOOKED_AT = 40

# topics.py: what a text is about, by cosine with the centroids of topics, and what a session stays with
#: A text is about a topic from this cosine on, and about so many at most.
NEAR_ENOUGH, TOPICS_MOST = 0.6, 5
#: The label of a topic with at most FEW items counts as so many passages: one or two memories do not say what a topic is. Two
#: would find a little more, but hide a topic from the very words of its only memory where those have little to do with its name.
FEW, LABEL_COUNTS = 3, 1.0
#: Labels embedded for one question; `vade sync` and `vade refine` have embedded them before, so they come from the cache.
LABELS_AT_ONCE = 64
#: A topic that a message is not about keeps so much of its weight, and is let go below the second: after three such messages.
KEPT, LET_GO = 0.5, 0.2

# trace.py: a recall as plain data and back, so that `why` can tell it in another process
TEXT_KEPT_CHARS = 400
#: Of what the session had already so many are kept: a briefing holds fewer.
SEEN_KEPT = 100

# unmet.py: names of things in scripts without spaces
#: A longer text before a question is talk: of it only the last clause is looked at.
TALK_CHARS = 60

# verbatim.py: find the place in a conversation
#: About 500 tokens, at four characters each.
CHUNK_CHARS = 2000
#: Turns looked at on each side for the pairs of an exchange.
PAIR_REACH = 12
#: Shorter questions are not looked for word for word: everything holds them.
EXACT_MIN_CHARS = 4
#: More hits than are wanted are ranked, since several can lie in one exchange.
SPARE = 3
#: Uses of tools, and calls before an answer, looked at to place what a tool wrote among what was said.
TOUCHES_LOOKED_AT, CALLS_LOOKED_AT = 100_000, 30

# What orders candidates: what each weight is worth in log odds, and where it comes from
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

# window.py: the turns in sight of a question, candidates and those around them, laid out for arithmetic
#: Bits of a place for the turn; a turn before the first of an item is none of the item before.
TURN_BITS = 32
