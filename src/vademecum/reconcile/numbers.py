"""Every fitted or chosen number of `reconcile`, by the module that uses it.

A number whose comment names no measurement was chosen by hand, to bound time or the length of what is shown.
"""

from collections.abc import Mapping

# clash.py: whether two statements conflict, where their words alone do not decide it
#: Minimum probability at which two statements are shown as a conflict.
LIKELY = 0.56
#: Minimum common words of two statements about one thing; one is enough if the later says that it ended.
SHARED_MIN = 2
#: Minimum share of the other words that two statements with opposite words have in common if they are about one thing.
SAME_SUBJECT = 0.67
#: Maximum words of a name that the other statement lacks; maximum characters in scripts without spaces.
NAME_MAX_WORDS, NAME_MAX_CHARS = 1, 3
#: Maximum characters between joined names of a subject: "Ana and Bruno".
JOIN_MAX_CHARS = 6
#: Words taken as the subject if no verb is known.
SUBJECT_WORDS = 3
#: Minimum letters of a word that matches a name by its beginning: "leeds" and "Leeds'".
CLASH_STEM_MIN = 4
#: Words after a denial that are denied: "not Ana".
DENIED_WORDS = 2

# compare.py: compare two statements by their words
#: Maximum words and characters of a statement; a longer one is a text that cannot be compared word by word.
STATEMENT_MAX_WORDS, STATEMENT_MAX_CHARS = 60, 600
#: Minimum word overlap for "from X to Y" to be about a known X.
REPLACES_MIN_OVERLAP = 0.3
#: Maximum words of a value; maximum characters in scripts without spaces.
VALUE_MAX_WORDS, VALUE_MAX_CHARS = 4, 10
COMPARE_STEM_MIN = 4

# decide.py: how a statement that is about to be saved relates to existing memories
#: Maximum memories compared, best first by their words.
LOOKED_AT = 12
#: Maximum memories of any kind compared, nearest in meaning.
NEAREST = 8
#: Maximum conflicts marked for a new statement.
CONFLICTS_MARKED = 3
#: Maximum postings read to find memories by words.
POSTINGS = 4000
#: Prefix of the model id -> minimum cosine of two memories of the same lesson. Chosen on 258 candidates of 106 recorded sessions: nine
#: were above it, all of them the same lesson again.
LEARNT_AGAIN: Mapping[str, float] = {"use": 0.84}
#: Trust ranking: a memory may be replaced only by an equally or more trusted source.
WORD_OF = {"external": 0, "agent": 1, "extracted": 2, "user": 2}
