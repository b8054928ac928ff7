"""Every fitted or chosen number of `extract`, by the module that uses it.

Where a comment names no measurement the number was chosen by hand: to bound time or the length of what is shown.
"""

from collections.abc import Mapping

# activity.py: what a conversation brought on each of its days, by patterns and without a model
#: Most lines of each sort, and most topics.
LINES_MAX, ACTIVITY_TOPICS_MAX = 6, 5
#: A word of the person's that comes up so often is what the talk is about.
TOPIC_MIN = 2
TOPIC_MIN_CHARS = 4

# alternatives.py: which command worked in place of one that failed, where that is plain from the words that both share
#: Both share this part of the words of the command that failed, without the one that was wrong.
SHARED = 0.6
#: Longest command that is shown, in words and characters.
WORDS_MAX, SHOWN_MAX_CHARS = 6, 60

# checks.py: find what commands of an agent prove
COMMAND_MAX_CHARS, OUTCOME_MAX_CHARS = 100, 120

# claims.py: what a text names that can be looked for in a repository
#: Shorter names, and those of one small word, mean too much.
NAME_MIN_CHARS = 5

# commits.py: what the commands of a session really did to its repository
#: Longest reason of a refused commit.
REASON_MAX_CHARS = 160
#: Of an answer so many characters of its beginning and of its end are looked at.
ANSWER_CHARS = 20_000

# faults.py: what the answer of a program says about the command that was typed
#: Longest line of an answer that is kept, in characters.
SAYS_MAX_CHARS = 200

# follow_ups.py: find what somebody wants to try one day
TEXT_CHARS = 300
FOLLOW_UPS_WORDS_MIN = 3

# llm_extraction.py: which entries of a model's answer about a conversation may become candidates, and how far each is believed
LLM_EXTRACTION_TITLE_MAX_CHARS, EXCERPT_MAX_CHARS, SUMMARY_MAX_CHARS, LLM_EXTRACTION_LINE_MAX_CHARS = 80, 240, 900, 240
#: Of one sort at most come from one reading (IN-33).
CAP = 10
#: Calls that one memory is told at.
CALLS_MAX = 3
#: Two texts that begin alike for so many characters say the same (SW-40).
SAME_PREFIX_CHARS = 120
LLM_EXTRACTION_TOPICS_MAX = 3
#: This share of a text's telling words must stand in the conversation for it to be believed as it is; below the second one it is not
#: believed at all.
SUPPORT_MIN, SUPPORT_POOR = 0.5, 0.3
#: So many telling words in a row that stand nowhere in it add something that nobody said; fewer only put it in other words.
ADDED_WORDS = 4
#: And this share in the message that is quoted or those around it.
NEAR_MIN = 0.25
#: So many messages on each side of the quoted one are around it.
AROUND = 2
#: Of a text that typed words ("do this:") only hand over, less than this share stands in what was typed or said by the agent around them,
#: and at least so many times as much in that and the pasted text together.
SPOKEN_MIN, HANDED_OVER_TIMES = 0.4, 2
#: This share of a quotation must be typed for it to be the person's word.
TYPED_SHARE = 0.6
#: A quotation is looked for by its first words, at most so many.
QUOTED_MAX_WORDS = 80
#: In a quotation of more words a negation is most often beside the point.
DENIED_MAX_WORDS = 12
#: The person agrees to what the agent said in one of the next so many things they type.
ANSWERS_WITHIN = 4

# logged_calls.py: the tool calls of a conversation that change or run something, as the log of calls keeps them
#: Of what a call does, and of what the person typed when they refused it, so many characters are kept.
TARGET_MAX_CHARS, LOGGED_CALLS_WORDS_MAX_CHARS = 500, 300
HEAD_CHARS = 200

# material.py: what a language model is shown of a conversation
#: Conversation shown in one call, in characters; what is longer is read in several (VO-30).
MATERIAL_MAX_CHARS = 24_000
#: Commands that are shown: the last ones.
COMMANDS_SHOWN = 8
#: A step of the agent that is shorter than this ("Now the tests.") is left out.
STEP_MIN_CHARS = 60
#: Less that was typed around pasted text ("Implement this:"), or pasted between typed words, is not told apart for the reader.
TYPED_MIN_CHARS, PASTED_MIN_CHARS = 60, 100
#: Of the question that an answer belongs to.
QUESTION_MAX_CHARS = 300
#: Of a text that is cut this share is its beginning. A plan tells its reasons first.
HEAD_SHARE, PASTED_HEAD_SHARE = 0.7, 0.9
#: The first that keep a conversation below MATERIAL_WANTED_CHARS are taken, else the last.
MATERIAL_WANTED_CHARS = 10_000

# mine.py: find the few sentences of a session that are worth remembering, by patterns, without a model
MINE_TEXT_MAX_CHARS = 300
MINE_TITLE_MAX_CHARS = 80
EXCERPT_CHARS = 80
#: Of what an agent said, where an order is about that.
REPORTED_CHARS = 160
#: So often a medium pattern must be met to stay medium.
MEDIUM_MIN_OCCURRENCES = 3
#: An agent that asks does so within so many characters from the end of its message.
ASKED_WITHIN_CHARS = 400
#: How many turns back the error may stand that a fix is about.
ERROR_REACH_TURNS = 40
#: Shortest sentence that can say something, in words.
MINE_WORDS_MIN = 2
#: Two candidates of a kind are the same when this share of the smaller one's words is shared.
SAME_SHARE = 0.8
RANK: dict[str, int] = {"low": 0, "medium": 1, "high": 2}

# outline.py: what a conversation was about, by patterns and without a model
#: Longest line of an outline, and most lines of each sort: the last ones are kept.
OUTLINE_LINE_MAX_CHARS = 240
#: What earlier reports left open was seen to since, or is said again.
OPEN_REPORTS = 2
#: So many words tell what was done.
FULL_WORDS = 5
ASKED_MAX, DONE_MAX, OPEN_MAX, FILES_MAX, COMMANDS_MAX, COMMITS_MAX, FAILING_MAX = 12, 8, 8, 30, 20, 12, 12
#: The last message, words of others beside a line, and files named in one.
LAST_MAX_CHARS, OUTLINE_WORDS_MAX_CHARS, FILES_NAMED = 600, 120, 4
#: Sentences of an agent's last report that are kept.
REPORT_SENTENCES = 4

# reading_prompt.py: what a language model is asked about a conversation
#: Of a memory that is known.
KNOWN_MAX_CHARS = 200
READ_TEXT_MAX_CHARS = 300
OUTPUT_MAX_TOKENS = 2_000

# recovery.py: the last words of a session that broke off, so that the next one can go on
MESSAGES, MESSAGE_CHARS = 3, 100

# report.py: what an agent says when it stops
#: Longer texts are documents.
READ_MAX_CHARS = 20_000
#: Entries of a list that are put behind the words that lead into it.
LED_MAX = 3
#: A label or heading is no longer than that.
LABEL_MAX_CHARS = 80
#: Fewer words tell nothing, unless they begin with what was done.
TELLING_MIN_WORDS = 3
#: So many sentences at the end of a message say how it ends.
LAST_SENTENCES = 2
#: A sentence that only leads in is short.
INTRO_MAX_WORDS = 7

# triage.py: where a candidate goes, as a table
#: Candidates of less importance are noise (VO-28).
NOISE_FLOOR = 0.2
#: A pattern is lowered when at least so many of its proposals were judged ...
JUDGED_MIN = 5
#: ... and fewer than this share of them was accepted; below the second share it is lowered twice.
PRECISION_MIN, PRECISION_POOR = 0.5, 0.25

# voice.py: tell which words of a turn the person typed, and which are material by others that they handed over
#: So many points make a document.
DOCUMENT_POINTS = 3
#: Longer than this nobody types; so many times longer than their usual hardly.
LONG_CHARS, VERY_LONG_CHARS, TIMES_USUAL = 1200, 2500, 8
#: A line of at least this length that stood before was copied.
COPIED_MIN_CHARS = 40
#: A beginning or an end of a document that is the person's is no longer than this.
EDGE_MAX_CHARS = 600
#: A turn is mainly material when others wrote more than this share of it, and at least so many characters.
MATERIAL_SHARE, MATERIAL_MIN_CHARS = 0.6, 200
#: So long a text must be before it tells something that nobody is spoken to in it, in words.
UNADDRESSED_MIN_WORDS = 60
#: So many messages tell how a person types; in a hurry when more than this share of them shows it. A text of so many words that shows none
#: of it was written by another hand.
USUAL_MIN_TURNS, HURRIED_SHARE, OTHER_HAND_MIN_WORDS = 4, 0.6, 20
#: A role is given at some length; in fewer characters it may be a way of asking.
CASTING_MIN_CHARS = 200
#: What words in front of a text add: "the following log", "a colleague wrote", "a report by another agent".
HANDED_POINTS: Mapping[str | None, int] = {None: 0, "handed": 1, "shown": 2, "from_others": 2, "announced": 3}
