"""Transcripts: formats of conversations, the databases in which hosts store them, and the folder of a conversation."""

from vademecum.adapters.repositories.projects import folder_written_as
from vademecum.adapters.stores.host_databases import Connection, columns, tables, text_of_value
from vademecum.adapters.transcripts.archives import digest_of, unpacked
from vademecum.adapters.transcripts.carry import Carry, parse_time, stem
from vademecum.adapters.transcripts.databases import Database
from vademecum.adapters.transcripts.folders import (
    below,
    folder_of_workspace,
    globbed,
    json_in,
    parsed,
    path_of_uri,
    text_in,
    workspace_folder,
)
from vademecum.adapters.transcripts.jsonl import Record, as_lines, clean
from vademecum.adapters.transcripts.reading import PENDING_MAX, Format, Reading, first_time, sections
from vademecum.adapters.transcripts.said import (
    Said,
    answers,
    between,
    blocks_of,
    call,
    json_object,
    json_value,
    mapping,
    mappings,
    outcome_of,
    outcome_of_exit,
    prompt,
    quoted_answers,
    result,
    short,
    text_of,
    without_blocks,
    word,
    words_of,
)
from vademecum.adapters.web.page_text import read_html
