"""Work that is done later, and what looks through the whole memory."""

from vademecum.maintenance.alike import ERROR, ERROR_WORDS, RAREST, alike, is_compared, words_of
from vademecum.maintenance.audit import Version, shares
from vademecum.maintenance.browse import Facets, Listing
from vademecum.maintenance.feed import Operation, Told, ToldSession, Touched
from vademecum.maintenance.jobs import DAY, WEEK, Did, Job
from vademecum.maintenance.overflow import LOOKED_AT, began, least_used
from vademecum.maintenance.pages import (
    OF_A_MOMENT,
    Names,
    Page,
    document_page,
    is_attachment,
    is_link,
    is_not_yet_a_link,
    links_between,
    memory_page,
    page_of,
)
from vademecum.maintenance.status import Sizes, Status
from vademecum.sync import index
from vademecum.sync.index import drop_memories

__all__ = [
    "DAY",
    "ERROR",
    "ERROR_WORDS",
    "LOOKED_AT",
    "OF_A_MOMENT",
    "RAREST",
    "WEEK",
    "Did",
    "Facets",
    "Job",
    "Listing",
    "Names",
    "Operation",
    "Page",
    "Sizes",
    "Status",
    "Told",
    "ToldSession",
    "Touched",
    "Version",
    "alike",
    "began",
    "document_page",
    "drop_memories",
    "index",
    "is_attachment",
    "is_compared",
    "is_link",
    "is_not_yet_a_link",
    "least_used",
    "links_between",
    "memory_page",
    "page_of",
    "shares",
    "words_of",
]
