"""Browse memories, page by page and file by file."""

from typing import Any

from vademecum.api.notes import NotesAPI
from vademecum.api.station import Station, use_case
from vademecum.context.context import Context
from vademecum.domain.item import place_of
from vademecum.domain.memory import BY_PERSON, By
from vademecum.inject import code
from vademecum.maintenance.browse import Listing, listing


class CheckingAPI(Station[Context]):
    """Browsing.

    Args:
        notes: lists the memories.
    """

    names_code = staticmethod(code.names_code)
    since = use_case(code.since_of)

    def __init__(self, context: Context, notes: NotesAPI) -> None:
        super().__init__(context)
        self._notes = notes

    def browse(self, limit: int = 50, after: str = "", *, by: By = BY_PERSON, **where: Any) -> Listing:
        """Return a page of :meth:`NotesAPI.list`; `after` is the `next` of the page before."""
        return listing(self._notes.list(limit + 1, after=place_of(after), by=by, **where), limit)

    def file(self, ref: str) -> tuple[str, str]:
        """Return path and text of the file of a memory, frontmatter included.

        Raises:
            NotFound, Ambiguous.
        """
        return self.context.vault.file(ref)
