"""Ideas: capture, look up, make a project, tidy."""

from vademecum.api.notes import NotesAPI
from vademecum.api.recall import RecallAPI
from vademecum.api.station import Station, use_case
from vademecum.context.context import Context
from vademecum.domain.memory import BY_PERSON, By
from vademecum.plugins.ideas import incubator, research
from vademecum.plugins.ideas.results import Idea


class IdeasAPI(Station[Context]):
    """Ideas that incubate.

    Args:
        notes: forgets what is deleted for good. recall: finds what is known about an idea.
    """

    def __init__(self, context: Context, notes: NotesAPI, recall: RecallAPI) -> None:
        super().__init__(context)
        self._notes, self._recall = notes, recall

    list = use_case(ideas.incubating)
    missing = use_case(ideas.missing)
    surface = use_case(ideas.surface)
    research = use_case(idea_research.look_up)
    promote = use_case(ideas.promote)
    stale = use_case(ideas.stale)

    def add(self, title: str, pitch: str = "", session: str = "", research: bool = False, *, by: By = BY_PERSON) -> Idea:
        """Capture an idea: into the incubator with what is known about it, and into Ideas.md with the person's consent.

        Args:
            pitch: what it is about; the list of ideas shows its first two sentences. session: in which it came up.
            research: also look it up on the web.

        Raises:
            Refused: by guard or settings. InvalidInput: no title.
        """
        done = ideas.capture(self.context, title, pitch, session=session, find=self._recall.about, by=by)
        return idea_research.with_research(self.context, done) if research else done

    def tidy(self, ref: str, decision: ideas.Decision, *, by: By = BY_PERSON) -> Idea:
        """Carry out the person's word on an idea: keep it, archive it, or delete it for good with what was found about it.

        Raises:
            InvalidInput: it does not incubate.
        """
        return ideas.tidy(self.context, ref, decision, lambda one: self._notes.forget(one, yes=True, by=by), by=by)
