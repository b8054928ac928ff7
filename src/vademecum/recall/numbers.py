"""Every fitted or chosen number of `recall`, by the module that uses it.

A number whose comment names no source was chosen by hand, to bound time or the length of what is shown. The weights that order
candidates are in weights.py; the numbers of confidence.py decide whether anything is shown, and do not affect the order.
"""

# arms.py: the search arms
#: Maximum postings read by the word arm; more only costs time (docs/measurements/experiments.md).
POSTINGS = 6000
#: Seconds assumed for loading a model. If a stage allows less, a model that is not loaded is skipped.
LOADING_S = 0.3
#: Maximum items per name.
NAMED_MOST = 8
#: Maximum indexed words that a misspelt word is expanded to, in profiles that do so.
LIKE_MOST = 16
#: Passages read to check whether a word is used as a name. One word of a note's title names the note only if no more contain it.
READ_FOR_NAME = 8
#: Maximum share of letters in which two spellings of a name differ. In an index with more passages the search for similar names
#: takes too long for a prompt.
NAME_EDITS, ALIKE_MOST_PASSAGES = 0.25, 300_000
#: Minimum letters of an unknown word that compounds may begin with, and of what follows it in them.
COMPOUND_LETTERS, COMPOUND_REST = 6, 4

# by_words.py: find memories by words alone
#: Minimum share of the question's word weight, and minimum number of its words, in a memory that answers.
BY_WORDS_SHARE, BY_WORDS_LEAST = 0.6, 2
#: A word is rare if it is in at most this number of passages, or at most this share of them; a match needs one rare word.
BY_WORDS_FEW, BY_WORDS_COMMON = 3, 0.1
#: Maximum memories read, and maximum passages of one word: a more frequent word is not looked up and counts as missing.
BY_WORDS_READ, BY_WORDS_READ_OF_WORD = 20, 5_000

# breadth.py: questions that no single turn answers
#: Turns read to find words of a topic; maximum words taken from them; minimum items in which a word must recur.
BREADTH_READ, WORDS_MOST, AGAIN = 12, 8, 2
#: Number of best turns among which the answer is chosen.
CHOSEN_FROM = 120

# candidates.py: candidate turns
#: Best candidates per arm whose neighbours are candidates too; distance of the neighbours, in turns.
STRONGEST, AROUND = 40, 2
#: Minimum share of a pool's passages in sight with vectors for meaning to count there.
COVERED = 0.9

# continuation.py: what the conversation adds to the ranking of its next prompt
#: Weights of the turns before the prompt, the last turn first; maximum characters read of each.
TURNS_BEFORE, TURN_CHARS = (1.0, 0.5), 2000
#: Maximum words carried over from the turns before, rarest first.
CARRIED_MOST = 12
#: Days in which the recency bonus halves ("lately, halving") or falls to 1/e ("lately, falling"). Work mostly continues recent sessions.
RECENCY_DAYS = 30.0
#: Log odds that a prompt of work continues a session: HELD_LATELY if the best-matching session is the latest one, falling to 1/e for
#: every LATELY_DAYS between them; plus AHEAD for each BM25 point, at most AHEAD_MOST points, by which it leads the OTHERS-th; minus
#: CONVERSATION_EXPECTED, the sum expected of such a prompt.
HELD_LATELY, LATELY_DAYS, AHEAD, AHEAD_MOST, OTHERS, CONVERSATION_EXPECTED = 4.0, 7.0, 0.2, 20.0, 6, 4.0
#: Log odds that a prompt of work continues a session, for each session that is among the AGREED_AMONG best by words and among those
#: nearest in meaning, more than AGREED_EXPECTED of them. Of another person's prompt the two agree on 2.4, of one's own on 4.8 (a
#: logistic fit on 1,058 prompts of RealMem, each person left out once). With fewer than AGREED_FEWEST sessions they agree by chance.
AGREED, AGREED_EXPECTED, AGREED_AMONG, AGREED_FEWEST = 0.46, 2.1, 10, 20
#: Minimum number of sessions needed to see whether one stands out.
NOTHING_TO_COMPARE = 2

# decide.py: decide which candidates are the answer
#: Maximum passages of a note read to find one with content.
READ_OF_NOTE = 12
#: Number of turns whose texts are read at once; an answer rarely needs more.
READ_AT_ONCE = 32
#: Number of best hits whose linked memories are added (one hop), and maximum memories added.
LINKED_FROM, LINKED_MOST = 3, 3
#: A turn within NEAR_FIRST log odds of the best is added below a hit of its session, up to ENTRY_CHARS characters of text, so that
#: the turns of one session do not take all the places (docs/measurements/experiments.md).
NEAR_FIRST, ENTRY_CHARS = 4.0, 1_000
#: Maximum omitted turns listed in the trace.
LEFT_MOST = 20
#: Max score gap (log odds) within which a valid memory is ranked above one that is not valid now.
NEARLY = 3.0
#: A passage that contains the full text of an earlier hit of at least this many characters adds nothing.
REPEATED_CHARS = 24

# eligibility.py: the rules for what may be returned as an answer
#: Number of best turns whose words are judged before the threshold; later ones are judged when they would be shown.
JUDGED = 64
#: Minimum share of the content words of a title that a question names loosely. By one word of three no title is meant.
LOOSELY_NAMED = 0.5
#: Minimum cosine at which a turn without a word of the question is evidence by itself.
BY_MEANING = 0.35
#: Characters above which a passage of a turn is taken to state something, whatever its words are.
SAYING_CHARS = 1500
#: Passages of a turn read to check whether it is a pasted document.
READ_OF_TURN = 8
#: Minimum words (character pairs in a script without spaces) of a clause before a question to count as a statement.
SAYING_TOKENS = 4
#: Maximum characters of an agent's turn that only says it does not know.
DENIAL_CHARS = 300
#: Minimum letters of a passage with content; a character of a script without spaces counts as three.
SAYING_LETTERS = 12
#: Maximum characters of an agent's one-line answer.
LINE_CHARS = 200

# features.py: features of candidate turns
#: BM25 as in Robertson & Zaragoza (2009), the constants that SQLite's own bm25() uses.
K1, B = 1.2, 0.75
#: Weight of a stem in turns one and two steps away, and the number of stems of such a turn that count.
NEAR, FAR, HEAD = 0.7, 0.4, 40
STEPS = ((-1, NEAR), (1, NEAR), (-2, FAR), (2, FAR))
#: Maximum occurrences of a term per passage in the session's BM25, and the divisor of that BM25.
REPEATS_COUNTED, WHOLE_SCALE = 3, 30
#: Maximum number of stems that count for length: longer turns are not better answers.
LENGTH_COUNTED = 60
#: Number of best candidates whose text is read to find times.
FEATURES_READ = 80
#: ln(1 + stems) of a turn of neutral length.
LENGTH_NEUTRAL = 3.2
#: Mean stems per turn up to which an item is chat, and the scale on which the context of longer turns loses weight.
CHAT_STEMS, LONG_STEMS = 25, 60
#: Minimum collection size assumed for idf: a word in one of three notes is not common.
FEATURES_FEWEST = 50
#: Characters above which a text before a question is context; only its last clause is used.
TALK_CHARS = 60

# likeness.py: map cosines of any model and language to one scale
#: d' at and below which a model's cosines have no weight in a language; they have full weight one above it.
TELLS_NOTHING = 1.0

# link_expansion.py: expand an answer by one hop
#: Default and maximum number of hits, as in the design this follows.
USUAL, LINK_EXPANSION_MOST = 5, 15
#: Number of best hits that are expanded; one in this many places is reserved for the added hits.
LINK_EXPANSION_LOOKED_AT, ONE_IN = 5, 3
#: Maximum memories of one topic that are considered.
OF_A_TOPIC = 50

# names.py: whether a question asks for something by name
#: Maximum characters of a name.
NAME_MAX_CHARS = 120
#: Characters at each end of a prompt in which something may be asked for by name.
ENDS_READ_CHARS = 2000
#: Names whose parsed words are cached, because every question is compared with them.
NAMES_KEPT = 4096
#: Minimum words of a name that is recognised within a longer question.
WORDS_WITHIN = 2

# query_parsing.py: parse a prompt into a query
#: Maximum characters of a prompt that are searched; of a longer one only the start and the end, where people ask.
ASKED_CHARS = 1200
#: Maximum words of a short question.
SHORT_WORDS = 5
#: Maximum number of questions in a prompt that are also searched separately.
QUESTIONS_MOST = 3
#: Characters of a given name after the family name, in a script without spaces.
NAMED_BY = 2
#: Minimum share of common letters of two spellings of one name ("Katrin", "Katryn": .83; "Joanna", "John": .6).
ALIKE = 0.7

# questions.py: embed questions in background threads
#: Maximum batch size. A batch takes half the time in total, but its first question waits for the last.
TOGETHER = 8
#: Maximum expected questions held; the oldest are dropped.
QUESTIONS_EXPECTED = 64

# relevance.py: relevance of a memory's title and aliases to a question
ALIAS_WEIGHT = 1.5
#: Weights of meaning and of the name, and the minimum relevance of an entry: by both, or by its name alone.
RELEVANCE_MEANING, NAME = 0.6, 0.4
ENOUGH, ENOUGH_BY_NAME = 0.10, 0.15

# several.py: combine the answers to a prompt with several questions
#: Minimum confidence at which one question of a prompt is answered although the whole prompt is not.
SURE_ALONE = 0.8

# stages.py: the stages of a session at which memory is searched
FOCUS_EACH = 4

# instructions.py: standing instructions
#: Maximum number of standing instructions that are raised.
STANDING_MOST = 3
#: Number of best turns read to find standing instructions.
STANDING_READ = 20

# successors.py: find the current successors of a superseded memory
#: Maximum steps along a chain of successors; a longer one contains a loop.
STEPS_MOST = 100

# confidence.py: how probable it is that a turn answers
#: Weight of the share of the question's possible BM25, and weight (subtracted) of the total idf of names that occur nowhere.
WORDS, NAMES = 14.0, 0.54
#: Log odds subtracted for each character pair beyond RUN in a run of pairs that occur nowhere: in a script without spaces such a
#: run is probably an unknown name. At most UNMET_MOST, because the same thing may have been said in other words.
UNMET, RUN, UNMET_MOST = 0.8, 2, 1.6
#: Weight of the cosine's z-score, relative to the expected best unrelated match: d' x (CHANCE x the expected maximum z-score among
#: the passages of the pool - BASE).
COSINE_WEIGHT, CHANCE, BASE = 0.183, 0.64, 0.65
#: Minimum pool size assumed: that of the smallest index the constants were fitted on.
POOL_FEWEST = 9
#: No single turn covers a long prompt, but a whole session may. Log odds: WHOLE x ln(BM25 of the session / expected), between 0 and
#: WHOLE, where expected = CHANCE_OF_WHOLES x (total idf of the prompt's words) ** ROOT.
WHOLE, CHANCE_OF_WHOLES, ROOT = 1.5, 6.4, 0.25
#: Log odds of a question without any evidence, per pool; highest for memories, which were saved to be recalled.
BIAS = {"memory": -1.6, "document": -4.2, "session": -2.2}
#: Log odds of a memory if the person asks about themselves, and additional log odds if its kind says who the person is.
ABOUT_THE_PERSON, OF_PERSONAL_KIND = 1.2, 0.8
#: Log odds of a note whose title equals the question (recall/titles.py).
TITLE = 3.0
#: Bias for a passage in another language than the question, in any pool: shared words are impossible there, so their absence is no
#: evidence against it. NEAREST: number of nearest passages checked.
ACROSS, NEAREST = -1.0, 5
#: A memory is one statement, so words and meaning must support the same one. Its log odds: SHARE x the share of the question's idf that
#: it contains, plus the z-score of its cosine, plus OWN if it says who the person is and they ask about themselves, minus NEEDED; at
#: most the result of the formula above. In a small store every word is rare, so one shared word ("autumn") would match anything.
SHARE, OWN, NEEDED = 6.0, 1.2, 6.75
#: In a pool of at most FEATURES_FEWEST passages: the z-score of its cosine that a memory in another language than the question needs,
#: and by how much it must be above that of every other memory. Set on the mixed set's memories ten at a time.
NEEDED_ACROSS, AHEAD_ACROSS = 5.2, 2.0
#: Without a vector, in a pool of at most FEATURES_FEWEST passages: a memory must contain the share HELD of the question's idf, or words
#: with RAREST times the idf of the rarest one; BY_WORDS log odds for each multiple above or below that.
HELD, RAREST, BY_WORDS = 0.3, 1.1, 8.0
#: A question of few or common words is matched by chance. Below this total idf its words count in proportion. The limit holds at
#: PASSAGES passages and grows with the logarithm of the pool size.
SPECIFIC, PASSAGES = 10.0, 600
#: Number of best turns among which the best word match is taken.
TOP = 10
#: Minimum confidence of a single memory, where a floor is requested: a memory is one statement. Turns of a session depend on their
#: neighbours, so the profile's floor applies to them.
FLOOR_OF_MEMORIES = 0.05
#: Minimum confidence of an item that the question names.
OF_A_NAME = 0.95

# titles.py: match titles of notes with a question
#: Maximum words of a title that is a name ("Maplevale Harbour"), and maximum notes that one word of their titles names.
NAME_WORDS, NAMED_BY_ONE_WORD = 3, 2
#: Most memories that contain an identifier or quoted phrase and are named by it; words below which any prompt does so. Guesses.
NAMED_BY_IDENTIFIER, BRIEF_WORDS = 3, 15
#: Maximum notes whose titles are compared, best first by the other features: each costs an index lookup.
TITLES_LOOKED_AT = 40

# threshold.py: whether an answer, and each turn of it, is likely enough
#: Minimum confidence of a turn at an order or a statement, which rarely needs an answer; and of a turn of a session, if the prompt
#: as a whole probably continues one.
BESIDE_WHAT_ASKS_NOTHING, SAID_BESIDE = 0.6, 0.3
#: Minimum confidence of a session turn at a question. With a confident answer as a whole, a stricter minimum per turn lost the answer
#: of 2 to 8 of 100 questions and kept nothing unrelated out (docs/measurements/experiments.md#floor-of-a-turn). At a
#: question within a prompt of work a lower one lets weak turns of other sessions take the lines.
ASKED, ASKED_AT_WORK = 0.03, 0.05

# topics.py: the topics of a text and of a session
#: Minimum cosine at which a text is about a topic, and maximum topics of a text.
NEAR_ENOUGH, TOPICS_MOST = 0.6, 5
#: The label of a topic with at most FEW items counts as this many passages, because one or two memories do not define a topic. With
#: two passages recall is slightly better, but a topic is missed by the words of its only memory if they differ from its label.
FEW, LABEL_COUNTS = 3, 1.0
#: Maximum labels embedded per question; `vade sync` and `vade refine` embed them earlier, so they come from the cache.
LABELS_AT_ONCE = 64
#: Factor on the weight of a topic that a message is not about, and the weight below which the topic is dropped: after three such
#: messages.
KEPT, LET_GO = 0.5, 0.2

# trace.py: serialise the trace of a search
TEXT_KEPT_CHARS = 400
#: Maximum keys stored of items that the session already had; a briefing has fewer.
SEEN_KEPT = 100

# verbatim.py: find a place in a session
#: Maximum characters of an exchange: about 500 tokens of four characters each.
CHUNK_CHARS = 2000
#: Turns read on each side of a hit to find the pairs of its exchange.
PAIR_REACH = 12
#: Minimum characters of an exact search; shorter texts occur everywhere.
EXACT_MIN_CHARS = 4
#: Factor on the number of ranked hits, because several can be in one exchange.
SPARE = 3
#: Maximum tool uses, and maximum earlier calls, read to locate the output of a tool between the turns.
TOUCHES_LOOKED_AT, CALLS_LOOKED_AT = 100_000, 30

# window.py: candidate turns and their neighbours, as arrays
#: Bits of a position used for the turn; wide enough that the turn before an item's first one does not fall into the previous item.
TURN_BITS = 32
