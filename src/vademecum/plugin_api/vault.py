"""Files of memories: places, frontmatter, markers in text, and changes to several files at once; items of the index."""

from vademecum.index.chunks import chunk_note
from vademecum.index.items import SESSIONS, memory_item, plain_text
from vademecum.vault import files, frontmatter, places
from vademecum.vault.callouts import CALLOUT, without_callouts
from vademecum.vault.change import Mend, Placing
from vademecum.vault.daily import (
    distilled,
    is_undistilled,
    merged,
    note_path,
    own_words,
    put_away_path,
    rows_of,
    sessions_in,
    sidecar_path,
)
from vademecum.vault.files import etag_of
from vademecum.vault.find import Found, is_named_by_sync
from vademecum.vault.frontmatter import Frontmatter, Value, is_in_order, names_of, read, render
from vademecum.vault.journal import Change, Record
from vademecum.vault.lock import SpaceLock
from vademecum.vault.markup import written_links
from vademecum.vault.merge import merged_body
from vademecum.vault.note import is_board, read_memory, text_of, title_of
from vademecum.vault.pages import Page
from vademecum.vault.places import CONFLICTS, DAILY, JOURNAL, VIEWS_FOLDER, archived_on, check_slug, from_root, place, slugify
from vademecum.vault.property_checks import checked
from vademecum.vault.raw import Known, State
from vademecum.vault.read import File
from vademecum.vault.scan import all_names
from vademecum.vault.tombstones import read_tombstones
from vademecum.vault.unread import NEVER_CLOSED, NOT_FIRST, TWO_BLOCKS, unread_properties
from vademecum.vault.view_page import NOTHING, Line, lines_of, named_in, rendered
from vademecum.vault.yaml_spans import Unreadable, parse_yaml
