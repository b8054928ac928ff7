"""Background jobs, and functions that go through the whole memory."""

from vademecum.domain.feed import LogFilter, Operation, ShownLog, ShownSession, Touched
from vademecum.domain.provenance import Version
from vademecum.maintenance.alike import ERROR, ERROR_WORDS, RAREST, alike, is_compared, words_of
from vademecum.maintenance.audit import shares, turns_of
from vademecum.maintenance.browse import Facets, Listing
from vademecum.maintenance.erase_copies import COPY_SUFFIX
from vademecum.maintenance.erase_copies import files_below as regular_files
from vademecum.maintenance.forget import complete, missing_stones, part_from, remember
from vademecum.maintenance.jobs import DAY, WEEK, Did, Job
from vademecum.maintenance.last_backup import note_backup
from vademecum.maintenance.linked_pages import (
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
from vademecum.maintenance.overflow import LOOKED_AT, began, least_used
from vademecum.maintenance.rebuild import rebuild
from vademecum.maintenance.status import Sizes, Status
from vademecum.sync import index
from vademecum.sync.index import SyncReport
from vademecum.sync.index_writer import index_written
