"""Save memories through the guard; propose, review and decide."""

from vademecum.domain.saved import Saved
from vademecum.guard import Guard
from vademecum.reconcile.decide import STANDING, Step, step_for
from vademecum.write.candidates import BY_EXTRACTION, route, route_all
from vademecum.write.gate import cleaned, cleaned_values, guarded, joined, keep, line_of, must_not_be_forgotten, similar
from vademecum.write.keys import keep_under
from vademecum.write.projects import record_projects
from vademecum.write.related import RELATED_MAX, Find, memories_among, pitch_in, with_related
from vademecum.write.review import CHANGED_AT_SOURCE, Decided, Foreseen, Proposal, Word, decide
from vademecum.write.source_notes import SCHEME, SourceNote, said_in
from vademecum.write.together import Judged, judged, why_not_back
