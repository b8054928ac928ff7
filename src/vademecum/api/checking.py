"""Look at what there is, page by page and file by file."""

from typing import Any

from vademecum.api.notes import NotesAPI
from vademecum.api.station import Station, use_case
from vademecum.context.context import Context
from vademecum.domain.item import place_of
from vademecum.domain.memory import BY_PERSON, By
from vademecum.inject import code
from vademecum.maintenance.browse import Listing, listing


class CheckingAPI(Station[Context]):
    """What a person goes through.

    Args:
        notes: where the memories are listed.
    """

    names_code = staticmethod(code.names_code)
    since = use_case(code.since_of)

    def __init__(self, context: Context, notes: NotesAPI) -> None:
        super().__init__(context)
        self._notes = notes

    def browse(self, limit: int = 50, after: str = "", *, by: By = BY_PERSON, **where: Any) -> Listing:
        """Return a page of what :meth:`NotesAPI.list` gives; `after` is the `next` of the page before."""
        return listing(self._notes.list(limit + 1, after=place_of(after), by=by, **where), limit)

    def file(self, ref: str) -> tuple[str, str]:
        """Return the path of a memory's file and its text, with what is known beside it in its frontmatter.

        Raises:
            NotFound, Ambiguous.
        """
        return self.context.vault.file(ref)
