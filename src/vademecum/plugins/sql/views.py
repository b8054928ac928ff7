"""Read-only SQL access: the tables of Memory v2 as views over the index and the device state.

The connection is opened for reading, and an authorizer permits only reading. A statement has a time limit and a row limit. The
journal is read only by a statement that uses it.
"""

import itertools
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import apsw
import apsw.ext
import numpy as np

from vademecum.domain.errors import InvalidInput, NotFound
from vademecum.domain.query import EXCLUDED
from vademecum.domain.tokens import estimate_tokens
from vademecum.plugins.sql.values import AuditLine, Rows

#: Version of the Memory v2 schema whose tables and columns the views provide, in addition to some of ours.
VIEWS_VERSION = 5
#: SQLite instructions between two checks of the time limit.
_STEPS = 20_000
_READING = frozenset({apsw.SQLITE_SELECT, apsw.SQLITE_READ, apsw.SQLITE_FUNCTION, apsw.SQLITE_RECURSIVE})
_DENIED_FUNCTIONS = frozenset({"load_extension", "writefile", "readfile", "edit", "fts3_tokenizer"})


def _moment(column: str) -> str:
    """Return SQL for ISO 8601, UTC, of microseconds since 1970."""
    return f"strftime('%Y-%m-%dT%H:%M:%fZ', {column} / 1000000.0, 'unixepoch')"


_DETAIL = "json_extract(d.fields, '$.{}')".format
#: Passages of an item are between its place and the next one's; the shift is that of schema.place.
_PASSAGES = "FROM texts t WHERE t.place >= (i.id << 36) AND t.place < ((i.id + 1) << 36)"
_TEXT = f"(SELECT group_concat(text, char(10)) FROM (SELECT t.text {_PASSAGES} ORDER BY t.place))"
_FACTS = "FROM items i JOIN details d ON d.item = i.id WHERE i.source = 'memory'"
_ID = "substr(i.key, 10)"
_TARGET = """(SELECT substr(o.key, 10) FROM names n JOIN items o ON o.id = n.item
    WHERE n.name = e.part AND o.source = 'memory' ORDER BY n.sureness, o.key LIMIT 1)"""

_NOTE = """(SELECT 'vault://' || o.path FROM names n JOIN items o ON o.id = n.item
    WHERE n.name = e.part AND o.source = 'document' ORDER BY n.sureness, o.key LIMIT 1)"""

VIEWS = {
    "facts": f"""SELECT {_ID} AS id, {_TEXT} AS text,
        coalesce({_DETAIL("topics")}, '[]') AS topics, i.importance AS importance,
        CASE WHEN i.kind IN ('fact', 'preference', 'identity', 'event') THEN i.kind ELSE 'fact' END AS kind,
        {_moment("i.created")} AS created_at, {_moment("coalesce(i.last_confirmed, i.created)")} AS last_confirmed_at,
        1 + coalesce({_DETAIL("confirmations")}, 0) AS confirmation_count,
        (SELECT strftime('%Y-%m-%dT%H:%M:%fZ', u.last, 'unixepoch') FROM state.outcome u
            WHERE u.key = i.key AND u.what = 'used') AS last_used_at,
        coalesce((SELECT u.count FROM state.outcome u WHERE u.key = i.key AND u.what = 'used'), 0) AS use_count,
        CASE WHEN {_DETAIL("origin")} LIKE 'session://%' THEN {_DETAIL("origin")} END AS source_session_id,
        CASE WHEN {_DETAIL("origin")} LIKE 'thread://%' THEN {_DETAIL("origin")} END AS source_thread_id,
        i.host AS source_interface, {_DETAIL("origin")} AS source_uri,
        (SELECT e.target FROM edges e WHERE e.item = i.id AND e.type = 'superseded_by' LIMIT 1) AS superseded_by,
        i.status IN ('active', 'disputed') AS is_latest,
        CASE WHEN i.status IN ('superseded', 'archived', 'resolved') THEN {_moment("coalesce(i.valid_until, i.updated)")} END
            AS deprecated_at,
        CASE WHEN i.status IN ('superseded', 'archived', 'resolved') THEN (SELECT a.rationale FROM memory_audit a
            WHERE a.fact_id = {_ID} AND a.operation IN ('supersede', 'deprecate') ORDER BY a.timestamp DESC LIMIT 1) END
            AS deprecation_reason,
        json_object('title', {_DETAIL("title")}, 'kind', i.kind, 'status', i.status, 'project', i.project, 'agent', i.agent,
            'trust', coalesce({_DETAIL("trust")}, 'user'), 'space', i.space, 'path', i.path) AS metadata,
        CASE WHEN i.kind = 'self' THEN '_obsilo' ELSE i.profile END AS profile_id {_FACTS}""",
    "fact_edges": f"""SELECT i.id << 20 | e.ordinal AS id, {_ID} AS from_fact_id, {_TARGET} AS to_fact_id,
        CASE WHEN {_TARGET} IS NULL THEN coalesce({_NOTE}, e.target) END AS external_uri, e.type AS edge_type, 1.0 AS weight,
        i.host AS source_interface,
        CASE WHEN {_TARGET} IS NULL AND {_NOTE} IS NULL AND (e.target NOT LIKE '%://%' OR e.target LIKE 'memory://%'
            OR e.target LIKE 'vault://%') THEN '{{"stale":true}}' ELSE '{{}}' END
            AS metadata FROM edges e JOIN items i ON i.id = e.item
        WHERE i.source = 'memory' AND e.target <> 'STALE'
        AND NOT (e.type = 'mentions' AND e.target NOT LIKE '%:%' AND {_TARGET} IS NULL)
        UNION ALL SELECT (i.id << 20) + (1 << 20) - 1, {_ID}, NULL, {_DETAIL("origin")}, 'extracted_from', 1.0, i.host, '{{}}' {_FACTS}
        AND {_DETAIL("origin")} LIKE '%://%'""",
    "fact_embeddings": f"""SELECT {_ID} AS fact_id, float32(v.row, v.scale) AS embedding, m.name AS embedding_model,
        {_moment("i.updated")} AS created_at FROM items i JOIN marks k ON k.place = i.id << 36
        JOIN vectors v ON v.number = k.number JOIN models m ON m.id = v.model WHERE i.source = 'memory'""",
    "known_topics": f"""SELECT min(p.label) AS topic, count(*) AS fact_count, {_moment("min(i.created)")} AS first_seen_at,
        {_moment("max(i.updated)")} AS last_seen_at, NULL AS description,
        (SELECT mean32(v.row, v.scale) FROM topics q JOIN marks k ON k.place = q.item << 36 JOIN vectors v ON v.number = k.number
            WHERE q.topic = p.topic AND v.model = (SELECT id FROM models ORDER BY vectors DESC, id LIMIT 1)) AS centroid_embedding,
        {_moment("max(i.updated)")} AS centroid_computed_at
        FROM topics p JOIN items i ON i.id = p.item WHERE i.source = 'memory' GROUP BY p.topic""",
    "communication_styles": f"""SELECT {_ID} AS id, coalesce((SELECT min(substr(g.tag, 9)) FROM tags g
            WHERE g.item = i.id AND substr(g.tag, 1, 8) = 'context/'), 'default') AS context_match,
        {_TEXT} AS style_description,
        i.importance AS importance, {_moment("i.updated")} AS updated_at {_FACTS} AND i.kind = 'style' AND i.status = 'active'""",
    "sessions": f"""SELECT i.key AS id, {_DETAIL("title")} AS title, i.host AS source_interface, i.project AS project, i.path AS path,
        {_moment("i.created")} AS created_at, {_moment("i.updated")} AS updated_at,
        (SELECT count(DISTINCT k.place >> 16) FROM marks k WHERE k.place >= i.id << 36 AND k.place < (i.id + 1) << 36) AS message_count
        FROM items i JOIN details d ON d.item = i.id WHERE i.source = 'session'""",
    "episodes": f"""SELECT {_ID} AS id, {_DETAIL("origin")} AS session_id, {_DETAIL("title")} AS title, {_TEXT} AS result_summary,
        CASE WHEN {_TEXT} LIKE '%- failing: %' THEN 0 WHEN {_TEXT} NOT LIKE '%## Open%' THEN 1 END AS success,
        (SELECT json_object('tools', json((SELECT json_group_object(name, uses) FROM (SELECT u.name, count(*) AS uses FROM touches t
                JOIN tools u ON u.id = t.tool WHERE t.item = o.id GROUP BY u.name ORDER BY uses DESC, u.name))),
            'files', json((SELECT json_group_array(file) FROM (SELECT f.file, max(t.rowid) AS last FROM touches t
                JOIN files f ON f.id = t.file WHERE t.item = o.id AND f.file <> '' GROUP BY f.id ORDER BY last))))
            FROM items o WHERE o.key = {_DETAIL("origin")}) AS stigmergy,
        {_moment("i.created")} AS created_at FROM items i JOIN details d ON d.item = i.id WHERE i.source = 'handoff'""",
    "recipes": f"""SELECT {_ID} AS id, {_DETAIL("title")} AS name,
        {_TEXT} AS steps,
        {_moment("i.updated")} AS updated_at {_FACTS} AND i.kind = 'procedure'""",
    "patterns": "SELECT pattern AS id, accepted AS success_count, rejected AS failure_count FROM state.verdict",
    "thread_sessions": f"""SELECT coalesce(g.tag, i.key) AS thread_id, i.key AS session_id, i.host AS source_interface,
        {_moment("i.created")} AS added_at
        FROM items i LEFT JOIN tags g ON g.item = i.id AND g.tag <> '{EXCLUDED}' WHERE i.source = 'session'""",
    "conversation_threads": f"""SELECT t.thread_id AS id, count(*) AS session_count, min(s.created_at) AS created_at,
        max(s.updated_at) AS updated_at,
        min(NOT EXISTS (SELECT 1 FROM tags g JOIN items i ON i.id = g.item WHERE i.key = s.id AND g.tag = '{EXCLUDED}')) AS memory_eligible,
        sum(coalesce(json_extract(x.fields, '$.turns_read'), s.message_count)) - 1 AS last_extracted_message_index,
        (SELECT coalesce(nullif(json_extract(y.fields, '$.summary'), ''),
                (SELECT e.result_summary FROM episodes e WHERE e.session_id = u.session_id ORDER BY e.created_at DESC LIMIT 1))
            FROM thread_sessions u LEFT JOIN state.extraction y ON y.session = u.session_id
            WHERE u.thread_id = t.thread_id ORDER BY u.added_at DESC LIMIT 1) AS delta_summary
        FROM thread_sessions t JOIN sessions s ON s.id = t.session_id LEFT JOIN state.extraction x ON x.session = t.session_id
        GROUP BY t.thread_id""",
    "memory_source_notes": f"""SELECT {_ID} AS id, {_DETAIL("title")} AS title, {_DETAIL("origin")} AS source_uri,
        substr({_DETAIL("origin")}, 9) AS path, (SELECT count(*) FROM items f JOIN details n ON n.item = f.id
            WHERE f.source = 'memory' AND f.kind <> 'source' AND json_extract(n.fields, '$.origin') = {_DETAIL("origin")}) AS fact_count,
        {_moment("i.created")} AS created_at, {_moment("i.updated")} AS updated_at {_FACTS} AND i.kind = 'source'""",
    "history_chunks": f"""SELECT i.key AS session_id, k.ordinal AS chunk_index, s.role AS role, t.text AS text, tokens(t.text) AS tokens,
        (SELECT float32(v.row, v.scale) FROM vectors v JOIN models m ON m.id = v.model WHERE v.number = k.number
            ORDER BY m.vectors DESC, m.id LIMIT 1) AS embedding,
        {_moment("t.time")} AS created_at, json_object('turn', k.place >> 16 & 1048575, 'ref', k.ref, 'speaker', s.name, 'host', i.host)
            AS metadata
        FROM items i JOIN texts t ON t.place >= i.id << 36 AND t.place < (i.id + 1) << 36
        JOIN marks k ON k.number = t.number JOIN speakers s ON s.id = k.speaker WHERE i.source = 'session'""",
    "memory_schema_meta": f"SELECT 'version' AS key, '{VIEWS_VERSION}' AS value",
}
_AUDIT = ("timestamp", "operation", "fact_id", "related_fact_id", "session_id", "rationale", "metadata")


def ask_views(
    folder: Path,
    audit: Callable[[], Iterable[AuditLine]],
    elapsed_s: Callable[[], float],
    statement: str,
    *,
    most_rows: int,
    most_s: float,
) -> Rows:
    """Return the result of one SELECT.

    Args:
        folder: of index.db and device.db. audit: lines of the journal, in any order. elapsed_s: a clock.

    Raises:
        InvalidInput: it is no single SELECT, SQLite cannot parse it, or it took longer than `most_s`. NotFound: there is no
            index yet.
    """
    db = _opened(folder, audit)
    late = elapsed_s() + most_s
    try:
        db.authorizer = _only_reading
        db.set_progress_handler(lambda: elapsed_s() > late, _STEPS)
        asked = apsw.ext.query_info(db, statement)
        if not asked.description:
            raise InvalidInput("This is not a SELECT statement.", "For instance: SELECT text FROM facts")
        if asked.query_remaining and asked.query_remaining.strip():
            raise InvalidInput("Only one statement at a time is possible.", "Remove what follows the semicolon.")
        rows = list(itertools.islice(db.execute(statement), most_rows + 1))
        names = tuple(name for name, _ in asked.description)
        return Rows(names, tuple(map(tuple, rows[:most_rows])), more=len(rows) > most_rows)
    except apsw.InterruptError as error:
        raise InvalidInput(
            f"It took longer than {most_s:g} seconds and was stopped.", "Ask for less, or add a LIMIT."
        ) from error
    except apsw.AuthError as error:
        raise InvalidInput("Only reading is possible here.", "Begin with SELECT; write with the other verbs.") from error
    except apsw.Error as error:
        raise InvalidInput(f"SQLite says: {error}", f"Tables: {', '.join([*VIEWS, 'memory_audit'])}") from error
    finally:
        db.close()


def _only_reading(code: int, first: str | None, second: str | None, _database: str | None, _trigger: str | None) -> int:
    if code not in _READING or (code == apsw.SQLITE_FUNCTION and (second or "").lower() in _DENIED_FUNCTIONS):
        return apsw.SQLITE_DENY
    return apsw.SQLITE_OK


def _opened(folder: Path, audit: Callable[[], Iterable[AuditLine]]) -> apsw.Connection:
    if not (folder / "index.db").is_file():
        raise NotFound("There is no index yet.", "Make it with: vade sync")
    try:
        db = apsw.Connection(
            f"{(folder / 'index.db').absolute().as_uri()}?mode=ro", apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
        )
        db.execute("ATTACH ? AS state", (f"{(folder / 'device.db').absolute().as_uri()}?mode=ro",))
        db.create_scalar_function("float32", _float32, 2, deterministic=True)
        db.create_scalar_function("tokens", estimate_tokens, 1, deterministic=True)  # type: ignore[arg-type]
        db.create_aggregate_function("mean32", _Mean, 2)

        def lines() -> Iterator[dict[str, Any]]:
            for line in audit():
                yield {name: getattr(line, name) for name in _AUDIT}

        lines.columns = _AUDIT  # type: ignore[attr-defined]
        lines.column_access = apsw.ext.VTColumnAccess.By_Name  # type: ignore[attr-defined]
        apsw.ext.make_virtual_module(db, "memory_audit", lines)  # type: ignore[arg-type]
        for name, sql in VIEWS.items():
            db.execute(f"CREATE TEMP VIEW {name} AS {sql}")
    except apsw.Error as error:
        raise InvalidInput(f"The index cannot be read: {error}", "Check it with: vade doctor") from error
    return db


def _float32(*given: Any) -> Any:
    """Return a vector as little-endian 32-bit floats."""
    row, scale = given
    return (np.frombuffer(row, np.int8).astype("<f4") * np.float32(scale)).tobytes()


class _Mean:
    """The mean of vectors, as little-endian 32-bit floats; NULL without any."""

    def __init__(self) -> None:
        self.sum: Any = None
        self.count = 0

    def step(self, *given: Any) -> None:
        row, scale = given
        vector = np.frombuffer(row, np.int8).astype(np.float32) * np.float32(scale)
        self.sum = vector if self.sum is None else self.sum + vector
        self.count += 1

    def final(self) -> Any:
        return None if self.sum is None else (self.sum / self.count).astype("<f4").tobytes()
