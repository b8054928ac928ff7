"""Save memories, through the guard; propose, review and decide."""

from vademecum.guard import Guard
from vademecum.reconcile.decide import Step
from vademecum.write.candidates import BY_EXTRACTION, route
from vademecum.write.gate import Saved, cleaned, cleaned_values, guarded, joined, keep, must_not_be_forgotten, similar
from vademecum.write.incoming import title_that_follows
from vademecum.write.keys import keep_under
from vademecum.write.projects import record_projects
from vademecum.write.related import RELATED_MAX, Find, memories_among, pitch_in, with_related
from vademecum.write.review import CHANGED_AT_SOURCE, Decided, Foreseen, Proposal, Word, decide
from vademecum.write.sources import said_in
from vademecum.write.together import Judged, judged, keep_together, put_back_together, why_not_back

__all__ = [
    "BY_EXTRACTION",
    "CHANGED_AT_SOURCE",
    "RELATED_MAX",
    "Decided",
    "Find",
    "Foreseen",
    "Guard",
    "Judged",
    "Proposal",
    "Saved",
    "Step",
    "Word",
    "cleaned",
    "cleaned_values",
    "decide",
    "guarded",
    "joined",
    "judged",
    "keep",
    "keep_together",
    "keep_under",
    "memories_among",
    "must_not_be_forgotten",
    "pitch_in",
    "put_back_together",
    "record_projects",
    "route",
    "said_in",
    "similar",
    "title_that_follows",
    "why_not_back",
    "with_related",
]
