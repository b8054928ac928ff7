"""Every fitted or chosen number of `inject`, by the module that uses it.

Where a comment names no measurement the number was chosen by hand: to bound time or the length of what is shown.
"""

from datetime import timedelta

# at_prompt.py: what an agent is shown at a prompt
#: How many turns before the prompt are part of the query.
TURNS_BEFORE = 2
#: How much of a prompt is searched for a request to save something: about 10 ms.
REQUEST_CHARS = 1000
#: Share of the time for searching within which an answer shows that the machine is not busy: a guess.
EASY_SHARE = 0.5
#: The same request is pointed out once in this time in a session.
POINTED_OUT_AGAIN_S = 24 * 3600

# at_start.py: what an agent is shown when its session starts, and what can be prepared for a start before it happens
#: A prepared briefing tells ages in days, so they may be wrong by one.
READY_FOR = timedelta(hours=24)
#: Tokens of the working set that a session gets back after its compaction.
WORKING_SET_TOKENS = 1500

# briefing.py: what an agent starts with
#: Disputed memories that a briefing chooses from, beside those that stand undisputed.
DISPUTED_MOST = 50
#: Memories that the core is chosen from, at most.
CORE_FROM = 2000
#: Of those, handoffs of the project that the core is about.
HANDOFFS_IN_CORE = 10
#: Of the work that goes on: so many of a project's last sessions, and so many uses of tools in them.
LAST_SESSIONS, LAST_FILES = 3, 40
#: Passages of a memory whose text a briefing may show.
TEXT_PASSAGES = 3

# briefing_extras.py: what a briefing adds to memories
#: Of a document so much is told where there is little room; what its name and place take; characters that a token has, at least.
BRIEFING_EXTRAS_SHORT_CHARS, FACTS_CHARS, CHARS_A_TOKEN = 320, 160, 3
#: Share of the budget for all documents, and most tokens whatever the budget.
DOCUMENTS_QUOTA, DOCUMENTS_TOKENS = 0.25, 8_000
#: Words that the work is about: so many, of at least so many letters, that stand in two titles of at least so much work.
FOCUS_WORDS, FOCUS_LETTERS, FOCUS_FROM = 6, 4, 3
#: What ends so soon is told; alerts at most.
DUE_WITHIN, ALERTS = timedelta(days=3), 4

# briefing_text.py: what a session starts with
#: What is shown is chosen by age, use and work from so many of a kind, those first that were important when they were written.
CHOSEN_FROM = 48
#: Styles are chosen from so many: most may be for other contexts.
STYLES_FROM = 100
#: Of each memory so many characters are told in whole sentences, of what is always loaded more; of what finds no room otherwise the second
#: number.
TOLD_CHARS, BRIEFING_TEXT_SHORT_CHARS = 240, 160
TOLD_LONGER = 1200
#: Of a handoff three parts are told, each with so many characters; of its last message only where nothing was left open.
PART_CHARS = 160
#: Of a budget so much is used, and so many tokens at least; more for what is always shown, and for the project's own documents.
USED_SHARE, USED_LEAST = 0.3, 600
#: What tells an agent how to keep something is left out of a budget smaller than this.
KEEPING_FROM = 500

# bundle.py: the text that an agent is given for a question, as far as the moment of its session allows
#: Seconds in which a session is told something once: a session that is taken up again days later may be told again.
ONCE_S = 86400.0

# code.py: whether what a memory names is still in the repository
#: Seconds that git may take of the time of a prompt, of a start, and of others who wait.
CODE_AT_PROMPT_S, AT_START_S, CODE_USUALLY_S = 0.04, 0.15, 1.0
#: Of one memory so many things are looked for, and told of.
LOOKED_FOR, TOLD = 8, 3

# core_memory.py: the curated core of memory for a prompt
#: Up to so many tokens everything is told.
WHOLE_TOKENS = 30_000
#: (share of the context window that is used, tokens that may be told below it); None: no limit.
LIMITS: tuple[tuple[float, int | None], ...] = ((0.50, None), (0.75, 50_000), (0.95, 20_000))
LAST_LIMIT = 5_000
#: Of a limited budget the index may take so much, so that room is left for what has to do with the question.
INDEX_QUOTA = 0.5

# delivered.py: what counts as delivered
#: Two hooks that report one event do so within this time.
SAME_EVENT_S = 20.0
#: The line for the person names this many titles, each cut to this length.
NOTICE_TITLES = 5
NOTICE_TITLE_CHARS = 50

# limits.py: how much an answer may hold and how long it may take
#: Most tokens of what is shown at a prompt.
PROMPT_TOKENS = 1200

# holdout.py: leave a memory out of one session on purpose, so that its effect can be measured
#: What was confirmed so often by a person who had to correct an agent is never left out.
CONFIRMED_TWICE = 2
#: Whatever holds more than this share of the words of a memory tells it as well.
SAYING_SHARE = 0.5

# notices.py: the line for the person at the start of a session
#: Memories kept earlier are news no more; so many of the newest are looked at, so many are named, with so much of the title.
NEWS_FOR, LOOKED_AT, NAMED, TITLE_CHARS = timedelta(days=3), 30, 3, 50
PROJECTS_NAMED = 3
#: Whoever was told things for so long is asked once whether they want to know if that helps.
TOLD_FOR = timedelta(weeks=4)
#: Of a conversation's id so much is named; it may be shorter.
ID_CHARS = 13

# recovery.py: whether the next session is told how the last one broke off
VALID_FOR = timedelta(days=7)
#: A session that was heard of so lately may still be going on.
QUIET_FOR = timedelta(minutes=5)

# render.py: memories as lines of Markdown that an agent reads as data
#: So much of the words is repeated, in characters.
WORDS_MAX_CHARS = 160
#: Of a single piece so much is told, in whole sentences; the id leads to the whole.
PIECE_MAX_CHARS = 1200

# cool_down.py: what is not shown for a while
#: It rests so long after it was shown once without being taken up, and twice as long each time it happens again, up to the last.
FIRST_COOL_DOWN, LONGEST_COOL_DOWN = timedelta(days=7), timedelta(days=56)

# scope.py: where to look, what holds there, and what is told only to who names it
#: Seconds that git may take of the time of a prompt, and of others who wait, to say which branches hold where the work goes on.
SCOPE_AT_PROMPT_S, SCOPE_USUALLY_S = 0.08, 2.0
#: Handoffs looked through for those of a project, the last first.
HANDOFFS_FROM = 200
#: Withheld memories that are looked for; a vault that has more has them all over.
SCOPE_WITHHELD_FROM = 100_000

# seen.py: memory as an agent sees it
#: Withheld items that are looked for; a vault that has more has them all over.
SEEN_WITHHELD_FROM = 100_000

# touch.py: how much a text touches what a prompt is about
#: A project of fewer prompts is judged by the prompts of all; and of fewer still as if there were so many.
ENOUGH_PROMPTS, LEAST_PROMPTS = 50, 20
#: A word is common that stands in more than this share of the prompts, and in more than so many. One that stands in no more than the last
#: number is worth 1: who says it a second time means the same.
COMMON_SHARE, COMMON_LEAST, RARE_MOST = 0.05, 5, 2
#: Of a prompt so many words are looked at. How many prompts hold a word of more passages than this is estimated: counting takes too long.
WORDS_MOST, WORDS_OF_TEXT, COUNTED_PASSAGES = 60, 300, 5_000

# worth_showing.py: which hits are worth showing at a prompt
#: A prompt of fewer words says too little to tell what of the past it touches: of 253 lines that were shown at 150 prompts of real work all
#: 16 useful ones stood at longer prompts. Of fewer words still it goes on with what is in hand.
SHORT_WORDS, GOING_ON_WORDS = 15, 5
#: Two signs of a script without spaces count as one word.
SIGNS_OF_A_WORD = 2
#: What was said within this time belongs to the work that goes on.
FRESH = timedelta(days=1)
#: So much (:meth:`PromptWords.touch`) a memory, or what was said today, must touch a prompt of work, and what was said earlier. Chosen on
#: lines at real prompts of two persons, and measured on a third (docs/measurements/telling.md).
LEAST_TOUCH, OLD_TOUCH = 0.55, 1.3
#: From this cosine on a memory answers a question within a longer prompt whatever its words are; an agent's words in a session of work
#: answer a question from the next two on.
ANSWER_MEANING = 0.45
WORK_TOUCH, WORK_MEANING = 1.15, 0.55
#: Of what an agent reported in a session of work so many characters are shown, and so many of its beginning before them, which says what it
#: is about; how it falls into parts.
REPORT_CHARS, HEAD_CHARS = 450, 160
#: A memory, what an agent said today, and what the person stated there answer a question of which they hold this share.
SHARE = 0.6
