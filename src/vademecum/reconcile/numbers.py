"""Every fitted or chosen number of `reconcile`, by the module that uses it.

Where a comment names no measurement the number was chosen by hand: to bound time or the length of what is shown.
"""

from collections.abc import Mapping

# clash.py: how likely two statements cannot both hold, where their words alone do not settle it
#: From this likelihood on both are shown as a conflict.
LIKELY = 0.56
#: Two statements are about one thing when they have so many words in common, one where the later says that it is over.
SHARED_MIN = 2
#: Share of the other words that two statements with opposite words have in common when they are about one thing.
SAME_SUBJECT = 0.67
#: A name has at most so many words that the other statement lacks, or characters where words are not divided.
NAME_MAX_WORDS, NAME_MAX_CHARS = 1, 3
#: What joins the names of a subject: "Ana and Bruno".
JOIN_MAX_CHARS = 6
#: Words of the subject where no verb is known.
SUBJECT_WORDS = 3
#: A name is looked for by so many first letters: "Leeds'" is "leeds".
CLASH_STEM_MIN = 4
#: Words behind a denial that are denied: "not Ana".
DENIED_WORDS = 2

# compare.py: two statements side by side
#: Longer statements are texts; comparing them word by word says nothing.
STATEMENT_MAX_WORDS, STATEMENT_MAX_CHARS = 60, 600
#: "From X to Y" is about a known X only when the statements share so much.
REPLACES_MIN_OVERLAP = 0.3
#: A value has at most so many words, or characters where words are not divided.
VALUE_MAX_WORDS, VALUE_MAX_CHARS = 4, 10
COMPARE_STEM_MIN = 4

# decide.py: decide what a statement that is about to be kept is to what is known already
#: Memories looked at, best first by their words.
LOOKED_AT = 12
#: Of any kind, nearest by meaning.
NEAREST = 8
#: So many that cannot hold beside a new statement are marked.
CONFLICTS_MARKED = 3
#: Postings read to find them.
POSTINGS = 4000
#: From this cosine on two of them tell the same: of 258 candidates of 106 recorded sessions, on which it was chosen, nine lie above it,
#: all of them told again.
LEARNT_AGAIN: Mapping[str, float] = {"use": 0.84}
#: Who may do away with whose word: only who stands at least as high.
WORD_OF = {"external": 0, "agent": 1, "extracted": 2, "user": 2}
