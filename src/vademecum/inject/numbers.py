"""Every fitted or chosen number of `inject`, by the module that uses it.

A number whose comment names no measurement was chosen by hand, to bound time or the length of what is shown.
"""

from datetime import timedelta

# at_prompt.py: what an agent is shown at a prompt
#: Number of turns before the prompt that are part of the query.
TURNS_BEFORE = 2
#: Maximum characters of a prompt that are searched for a request to save something: about 10 ms.
REQUEST_CHARS = 1000
#: Content words from which a question beside pasted material stands alone; with fewer it asks about the material. A guess.
STANDS_ALONE_WORDS = 2
#: If a search took less than this share of its deadline, the machine counts as not busy. A guess.
EASY_SHARE = 0.5
#: The same request to save is pointed out once per session within this time.
POINTED_OUT_AGAIN_S = 24 * 3600

# at_start.py: what an agent is shown when its session starts
#: Lifetime of a prepared briefing. It states ages in days, so they may be wrong by one.
READY_FOR = timedelta(hours=24)
#: Maximum tokens of the working set that a session gets back after its compaction.
WORKING_SET_TOKENS = 1500

# briefing.py: what an agent starts with
#: Maximum number of disputed memories that a briefing chooses from, beside the active ones.
DISPUTED_MOST = 50
#: Maximum number of memories that the core is chosen from.
CORE_FROM = 2000
#: Maximum number of handoffs of the project that the core is chosen from.
HANDOFFS_IN_CORE = 10
#: The current work is described by this many last sessions of the project, and this many file touches.
LAST_SESSIONS, LAST_FILES = 3, 40
#: What was said within this time before the last session ended belongs to the current work; a handoff with nothing open is shown
#: only when it is older. Chosen by hand. Of 42 older lines from conversations that had not come up again, and of 47 newer handoffs
#: with nothing open, 1 and 0 were useful to the two persons it was chosen on (docs/measurements/delivered.md).
CURRENT_FOR = timedelta(days=1)
#: Maximum passages of a memory whose text a briefing may show.
TEXT_PASSAGES = 3

# briefing_extras.py: sections that a briefing adds to the memories
#: Characters of a document shown if room is short; characters reserved for its name and path; minimum characters per token.
BRIEFING_EXTRAS_SHORT_CHARS, FACTS_CHARS, CHARS_A_TOKEN = 320, 160, 3
#: Maximum share of the budget for all documents, and maximum tokens whatever the budget.
DOCUMENTS_QUOTA, DOCUMENTS_TOKENS = 0.25, 8_000
#: Maximum words in the focus line; minimum letters of a word; minimum tasks, plans and handoffs for the line. A word must be in two
#: titles.
FOCUS_WORDS, FOCUS_LETTERS, FOCUS_FROM = 6, 4, 3
#: A task that ends within this time is due; maximum number of due lines.
DUE_WITHIN, ALERTS = timedelta(days=3), 4

# briefing_text.py: the text of a briefing
#: Maximum candidates per kind, selected by stored importance; age, use and current work then decide what is shown.
CHOSEN_FROM = 48
#: Maximum candidates for styles: most of them may be for other contexts.
STYLES_FROM = 100
#: Maximum characters of a memory, in complete sentences: normally, and if space is short.
#: LONGER_TEXT_CHARS: if always loaded, or a handoff.
TEXT_CHARS, BRIEFING_TEXT_SHORT_CHARS = 240, 160
LONGER_TEXT_CHARS = 1200
#: Maximum characters of each part of a handoff. The last message is shown only if nothing was left open.
PART_CHARS = 160
#: Share of the budget that is used, and minimum tokens. Always loaded memories and the project's documents come on top.
USED_SHARE, USED_LEAST = 0.3, 600
#: Smallest budget that includes the instruction for saving memories.
KEEPING_FROM = 500

# bundle.py: the text that an agent is given for a question, subject to the stage of its session
#: Seconds within which a once-only stage is shown once per session. A session resumed days later may be shown it again.
ONCE_S = 86400.0

# code.py: whether the code that a memory names is still in the repository
#: Maximum seconds for git at a prompt, at a start, and in other requests.
CODE_AT_PROMPT_S, AT_START_S, CODE_USUALLY_S = 0.04, 0.15, 1.0
#: Per memory: maximum names of each sort that are checked, and maximum changes that are shown.
LOOKED_FOR, CHANGES_SHOWN = 8, 3

# core_memory.py: the curated core of memory for a prompt
#: Maximum tokens up to which the core is shown in full.
WHOLE_TOKENS = 30_000
#: (share of the context window in use, token budget below that share); None: no limit.
LIMITS: tuple[tuple[float, int | None], ...] = ((0.50, None), (0.75, 50_000), (0.95, 20_000))
LAST_LIMIT = 5_000
#: Maximum share of a limited budget for the index, so that room is left for memories relevant to the question.
INDEX_QUOTA = 0.5

# delivered.py: delivery records
#: Maximum seconds between two hooks that report the same event.
SAME_EVENT_S = 20.0
#: Maximum titles in the notice for the person, and maximum characters of each.
NOTICE_TITLES = 5
NOTICE_TITLE_CHARS = 50

# first_prompts.py: what a start holds back
#: Number of first prompts that may be shown what the start held back.
FIRST_PROMPTS = 2
#: Minimum touch (:mod:`vademecum.inject.touch`) of a held back memory, and most that are shown. Chosen on the sessions of two persons,
#: measured on a third (docs/measurements/delivered.md).
HELD_TOUCH, HELD_MOST = 0.35, 2
#: Minimum touch of a handoff, whose text is longer: up to 1.15 keeps the one that was useful to them; "commit this" touched up to 0.91.
HANDOFF_TOUCH = 0.95
#: A prompt with at most so many words that are not function words does not say what it is about.
SAYS_NOTHING_WORDS = 2

# limits.py: size and time limits of answers
#: Maximum tokens shown at a prompt.
PROMPT_TOKENS = 1200

# holdout.py: hide random memories from a session to measure their effect
#: A correction that the person confirmed this many times is never held out.
CONFIRMED_TWICE = 2
#: A text that contains more than this share of a memory's words counts as repeating it.
SAYING_SHARE = 0.5

# notices.py: the notice for the person at the start of a session
#: Maximum age of a new memory; number of newest memories checked; number named; characters of each title.
NEWS_FOR, LOOKED_AT, NAMED, TITLE_CHARS = timedelta(days=3), 30, 3, 50
PROJECTS_NAMED = 3
#: After this time of use the person is asked once whether to measure the benefit.
ASKED_AFTER = timedelta(weeks=4)

# recovery.py: whether the next session is shown how the last one was interrupted
#: An interrupted session is recovered for this long.
VALID_FOR = timedelta(days=7)
#: A session with activity within this time may still be running.
QUIET_FOR = timedelta(minutes=5)

# render.py: memories as lines of Markdown that an agent reads as data
#: Maximum characters of the quoted words.
WORDS_MAX_CHARS = 160
#: Maximum characters of a single piece, in complete sentences; its id leads to the full text.
PIECE_MAX_CHARS = 1200

# cool_down.py: hide memories for a while that were shown but not used
#: Cool-down after a memory was shown but not used: first duration, and maximum. It doubles each time.
FIRST_COOL_DOWN, LONGEST_COOL_DOWN = timedelta(days=7), timedelta(days=56)

# scope.py: scopes of searches, and the rules for what is withheld
#: Maximum seconds for git to say which branches apply in the working folder: at a prompt, and in other requests.
SCOPE_AT_PROMPT_S, SCOPE_USUALLY_S = 0.08, 2.0
#: Maximum handoffs searched for those of a project, newest first.
HANDOFFS_FROM = 200
#: Maximum withheld memories that are looked up; larger than any realistic vault.
SCOPE_WITHHELD_FROM = 100_000

# seen.py: memory as an agent sees it
#: Maximum withheld items that are looked up; larger than any realistic vault.
SEEN_WITHHELD_FROM = 100_000

# touch.py: how closely a text relates to a prompt
#: Below the first number of prompts in a project, the prompts of all projects are used; the second is the lowest count assumed.
ENOUGH_PROMPTS, LEAST_PROMPTS = 50, 20
#: A word is common if it occurs in more than this share of the prompts and in more than this number of prompts. A word in at most
#: RARE_MOST prompts has weight 1: its second use most likely has the same meaning.
COMMON_SHARE, COMMON_LEAST, RARE_MOST = 0.05, 5, 2
#: Maximum words of a prompt, and of a longer text, that are weighted. For a word in more than COUNTED_PASSAGES passages the
#: number of prompts is estimated, because counting takes too long.
WORDS_MOST, WORDS_OF_TEXT, COUNTED_PASSAGES = 60, 300, 5_000

# worth_showing.py: which hits are worth showing at a prompt
#: Largest distance in score (log odds) from the best hit at which a note is shown; at the terminal any hit but the best memory.
#: Chosen on questions with known answers: docs/measurements/shown-in-recall.md.
CLEARLY_BEHIND = 3.0
#: Passages of a delivered memory whose words are compared with the prompt.
READ_OF_DELIVERED = 2
#: Below SHORT_WORDS words a prompt says too little to select old passages: of 253 lines shown at 150 prompts of real work, all 16
#: useful ones were shown at longer prompts. Below GOING_ON_WORDS it only continues the current task.
SHORT_WORDS, GOING_ON_WORDS = 15, 5
#: Characters per word in a script without spaces.
SIGNS_OF_A_WORD = 2
#: A turn within this time belongs to the current work.
FRESH = timedelta(days=1)
#: Minimum :meth:`PromptWords.touch` at a prompt of work: for a memory or a turn of today, and for an older turn. Chosen on lines at
#: real prompts of two persons, and measured on a third (docs/measurements/delivered.md).
LEAST_TOUCH, OLD_TOUCH = 0.55, 1.3
#: Minimum cosine at which a memory answers a question within a longer prompt, whatever its words are. For an agent's turn in a work
#: session the minimum is WORK_TOUCH, or WORK_MEANING as cosine.
ANSWER_MEANING = 0.45
WORK_TOUCH, WORK_MEANING = 1.15, 0.55
#: Maximum characters of the excerpt of an agent's report in a work session, and of its beginning, shown before the excerpt to say
#: what it is about.
REPORT_CHARS, HEAD_CHARS = 450, 160
#: A memory, an agent's turn of today or a statement of the person answers a question if it contains this share of its words, by weight.
SHARE = 0.6
