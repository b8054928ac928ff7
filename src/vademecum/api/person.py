"""Observations about the person, and source notes."""

from msgspec.structs import replace

from vademecum.api.notes import NotesAPI
from vademecum.api.station import Station, use_case
from vademecum.context.context import Context
from vademecum.domain.errors import Refused
from vademecum.domain.memory import BY_PERSON, By
from vademecum.sessions import benefit as of_showing
from vademecum.views import lessons
from vademecum.write import repetition, source_notes
from vademecum.write.source_notes import SourceNote


class PersonAPI(Station[Context]):
    """Observations and source notes.

    Args:
        notes: forgets memories of a source note.
    """

    def __init__(self, context: Context, notes: NotesAPI) -> None:
        super().__init__(context)
        self._notes = notes

    benefit = use_case(of_showing.benefit)
    observe = use_case(repetition.observe)
    evolution = use_case(lessons.evolution)
    sources = use_case(source_notes.listed)
    add_source = use_case(source_notes.mark)

    def remove_source(
        self, note: str, clear_frontmatter: bool = True, forget: bool = False, *, by: By = BY_PERSON
    ) -> SourceNote:
        """Stop using a note as a source. Its memories stay, unless they are to be forgotten.

        Raises:
            NotFound: the note is not marked. Refused: only the person has something forgotten.
        """
        if forget and by.actor != "user":
            raise Refused(
                "Only the person can have something forgotten.", "Leave forget out; they do it with: vade forget --source"
            )
        done = source_notes.unmark(self.context, note, clear_frontmatter=clear_frontmatter, by=by)
        if not forget:
            return done
        gone = self._notes.forget(f"{source_notes.SCHEME}{done.path}", "source", yes=True, by=by)
        return replace(done, note=f"{done.note} Forgotten: {len(gone.memories)} memories.".strip())
