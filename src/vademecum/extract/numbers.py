"""Every fitted or chosen number of `extract`, by the module that uses it.

A number whose comment names no measurement was chosen by hand, to limit time or length.
"""

from collections.abc import Mapping

# alternatives.py: find the command that worked in place of a failed one
#: Minimum share of the failed command's words, without the wrong one, that the working command contains.
SHARED = 0.6
#: Maximum words and characters of a command that is shown.
WORDS_MAX, SHOWN_MAX_CHARS = 6, 60

# checked_commands.py: find an agent's commands that prove something
COMMAND_MAX_CHARS, OUTCOME_MAX_CHARS = 100, 120

# claims.py: find claims of finished work in a text
#: Minimum characters of a name in code; shorter ones are ambiguous.
NAME_MIN_CHARS = 5

# commits.py: find what a session's commands did to its repository
#: Maximum characters of the reason for a refused commit.
REASON_MAX_CHARS = 160
#: Characters that are read at the beginning and at the end of a command's output.
ANSWER_CHARS = 20_000

# wrong_commands.py: find out from a program's output that the command itself was wrong
#: Maximum characters of an output line that is stored.
SAYS_MAX_CHARS = 200

# follow_ups.py: find ideas for later
TEXT_CHARS = 300
FOLLOW_UPS_WORDS_MIN = 3

# llm_extraction.py: turn the entries of a model's answer about a conversation into candidates
LLM_EXTRACTION_TITLE_MAX_CHARS, EXCERPT_MAX_CHARS, SUMMARY_MAX_CHARS, LLM_EXTRACTION_LINE_MAX_CHARS = 80, 240, 900, 240
#: Maximum candidates of one kind per reading (IN-33).
CAP = 10
#: Maximum call patterns of one memory.
CALLS_MAX = 3
#: Two texts say the same if this many characters at their beginning are equal (SW-40).
SAME_PREFIX_CHARS = 120
LLM_EXTRACTION_TOPICS_MAX = 3
#: Minimum share of a text's significant words that occur in the conversation. Below the first value the text is doubted, below
#: the second it is rejected.
SUPPORT_MIN, SUPPORT_POOR = 0.5, 0.3
#: This many significant words in a row that do not occur in the conversation add something new; fewer only rephrase.
ADDED_WORDS = 4
#: Minimum share of a text's significant words that occur in the quoted message or its neighbours.
NEAR_MIN = 0.25
#: Neighbouring messages on each side of the quoted one.
AROUND = 2
#: Typed words ("do this:") only hand over pasted text if the share of the statement's words that occur in typed words and the
#: agent's words nearby is below the first number, and the share with pasted text included exceeds it by the second factor.
SPOKEN_MIN, HANDED_OVER_TIMES = 0.4, 2
#: Minimum share of a quotation that must be typed to count as the person's words.
TYPED_SHARE = 0.6
#: Maximum words of a quotation that are searched for.
QUOTED_MAX_WORDS = 80
#: Maximum words of a quotation in which a negation is relevant; in longer ones it mostly belongs to something else.
DENIED_MAX_WORDS = 12
#: How many of the person's next messages may agree to what the agent said.
ANSWERS_WITHIN = 4
#: How many of an agent's commands before its message may have failed at what it says, and the minimum share of its significant words
#: that occur in such a command and its output.
COMMANDS_BEFORE, MET_MIN = 6, 0.25

# logged_calls.py: extract the tool calls that change or run something
#: Maximum stored characters of a call's target, and of what the person typed when they refused it.
TARGET_MAX_CHARS, LOGGED_CALLS_WORDS_MAX_CHARS = 500, 300
HEAD_CHARS = 200

# material.py: prepare the part of a conversation that a language model is shown
#: Maximum characters of a conversation per call; a longer one is read in several calls (VO-30).
MATERIAL_MAX_CHARS = 24_000
#: Number of commands shown, counted from the end.
COMMANDS_SHOWN = 8
#: Minimum characters of an agent's step; shorter ones ("Now the tests.") are left out.
STEP_MIN_CHARS = 60
#: Minimum characters of typed text around pasted text ("Implement this:"), and of pasted text between typed words, to be marked
#: separately.
TYPED_MIN_CHARS, PASTED_MIN_CHARS = 60, 100
#: Maximum characters of the question that an answer belongs to.
QUESTION_MAX_CHARS = 300
#: Share of a shortened text that is its beginning. It is larger for pasted text: a plan states its reasons first.
HEAD_SHARE, PASTED_HEAD_SHARE = 0.7, 0.9
#: The first entry of `CUTS` that keeps the shown conversation within this many characters is used, else the last one.
MATERIAL_WANTED_CHARS = 10_000

# mine.py: find the few sentences of a session that are worth remembering
MINE_TEXT_MAX_CHARS = 300
MINE_TITLE_MAX_CHARS = 80
EXCERPT_CHARS = 80
#: Maximum characters of the agent's message that an order refers to.
REPORTED_CHARS = 160
#: Minimum occurrences for a medium match to stay medium.
MEDIUM_MIN_OCCURRENCES = 3
#: A question this close to the end of an agent's message, in characters, means that the agent asks.
ASKED_WITHIN_CHARS = 400
#: Maximum distance, in turns, between an error and the fix for it.
ERROR_REACH_TURNS = 40
#: Minimum words of a sentence.
MINE_WORDS_MIN = 2
#: Two candidates of one kind are equal if they share this part of the smaller one's words.
SAME_SHARE = 0.8
RANK: dict[str, int] = {"low": 0, "medium": 1, "high": 2}

# outline.py: describe what a conversation was about
#: Maximum characters of an outline's line.
OUTLINE_LINE_MAX_CHARS = 240
#: Number of last reports whose open points count; earlier ones were settled or are repeated.
OPEN_REPORTS = 2
#: Minimum words of a line that says what was done.
FULL_WORDS = 5
ASKED_MAX, DONE_MAX, OPEN_MAX, FILES_MAX, COMMANDS_MAX, COMMITS_MAX, FAILING_MAX = 12, 8, 8, 30, 20, 12, 12
#: Maximum characters of the last message and of quoted words beside a line, and maximum files named in a line.
LAST_MAX_CHARS, OUTLINE_WORDS_MAX_CHARS, FILES_NAMED = 600, 120, 4
#: Maximum sentences of the agent's last report.
REPORT_SENTENCES = 4

# reading_prompt.py: the question to a language model about a conversation
#: Maximum characters of a known memory.
KNOWN_MAX_CHARS = 200
#: A known memory is left out if less than this share of its significant words occurs in the conversation, and at least this number does
#: not. Of 22 memories that a later conversation repeated (read one by one) the lowest share is .50, of 11 labelled ones .62; of all
#: candidates the median is .44.
KNOWN_SHARE_MIN, KNOWN_MISSING_MIN = 0.48, 7
READ_TEXT_MAX_CHARS = 300
OUTPUT_MAX_TOKENS = 2_000

# recovery.py: the last messages of an interrupted session
MESSAGES, MESSAGE_CHARS = 3, 100

# report.py: read what an agent says when it stops
#: Maximum characters of a report that are read; longer texts are documents.
READ_MAX_CHARS = 20_000
#: Maximum entries of a list that are appended to the words that introduce it.
LED_MAX = 3
#: Maximum characters of a label or heading.
LABEL_MAX_CHARS = 80
#: Minimum words of an informative sentence, unless it begins with what was done.
INFORMATIVE_MIN_WORDS = 3
#: Sentences at the end of a message that show how it ends.
LAST_SENTENCES = 2
#: Maximum words of a sentence that only introduces another.
INTRO_MAX_WORDS = 7

# write/candidates.py: decide where a candidate goes
#: Candidates below this importance are dropped (VO-28).
NOISE_FLOOR = 0.2
#: Minimum judged proposals before a pattern's confidence may be lowered.
JUDGED_MIN = 5
#: Below the first acceptance rate the confidence is lowered by one step, below the second by two.
PRECISION_MIN, PRECISION_POOR = 0.5, 0.25

# voice.py: tell typed words from material by others
#: Minimum points of a document.
DOCUMENT_POINTS = 3
#: A text looks pasted if it exceeds one of these lengths in characters, or this multiple of the person's usual length.
LONG_CHARS, VERY_LONG_CHARS, TIMES_USUAL = 1200, 2500, 8
#: Minimum characters of a line that counts as copied when it appeared before.
COPIED_MIN_CHARS = 40
#: Maximum characters of the person's own beginning or end of a document.
EDGE_MAX_CHARS = 600
#: A turn is mainly material if others wrote more than this share of it, and at least this many characters.
MATERIAL_SHARE, MATERIAL_MIN_CHARS = 0.6, 200
#: Minimum words of a text in which the absence of "I" and "we" is informative.
UNADDRESSED_MIN_WORDS = 60
#: Minimum messages to learn how a person types; the share of hurried messages above which they type in a hurry; and minimum
#: words of a text without hurried typing that is then attributed to somebody else.
USUAL_MIN_TURNS, HURRIED_SHARE, OTHER_HAND_MIN_WORDS = 4, 0.6, 20
#: Minimum characters of a role description; a shorter text may be a way of asking.
CASTING_MIN_CHARS = 200
#: Points for the words that introduce a text: "the following log", "a colleague wrote", "a report by another agent".
HANDED_POINTS: Mapping[str | None, int] = {None: 0, "handed": 1, "shown": 2, "from_others": 2, "announced": 3}
