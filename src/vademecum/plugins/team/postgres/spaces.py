"""Read and restore whole spaces as the owner of the tables, for backups.

Row level security stays forced: the transaction names its space, and the policies of the owner restrict it to that one.
"""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

import psycopg
from psycopg import sql

from vademecum.domain.errors import AlreadyExists, NotFound, Refused, TeamUnavailable
from vademecum.plugin_api.machine import Words
from vademecum.plugins.team.ports import KeptSpace
from vademecum.plugins.team.postgres.schema import connect, must_be_plain, must_fit
from vademecum.plugins.team.postgres.team import MEMBER, PUT_PASSAGE, note, passage_rows
from vademecum.plugins.team.values import OWNER, AuditEntry, KeptCopy, KeptMember, Member, SpaceState, next_timeline

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from contextlib import AbstractContextManager
    from datetime import datetime

    import numpy as np


class PostgresSpaces:
    """The port :class:`vademecum.plugins.team.ports.SpaceOwner`.

    Args:
        database: address that logs in as the owner of the tables.
    """

    def __init__(self, database: str) -> None:
        self._database = database

    @contextmanager
    def reading(self, space: str, at: datetime) -> Iterator[KeptSpace]:
        """Give the current state of a space."""
        with self._connected(psycopg.IsolationLevel.REPEATABLE_READ) as connection:  # a consistent snapshot
            _enter(connection, space)
            row = connection.execute("SELECT name, opened, cursor FROM space WHERE name = %s", (space,)).fetchone()
            if row is None:
                raise NotFound(f"There is no space {space} in this database.", "Make it: vade team open SPACE --keeper NAME")
            copies = _rows(
                connection,
                "copies",
                "SELECT id, author, at, title, text FROM published WHERE space = %s ORDER BY cursor",
                space,
            )
            entries = _rows(
                connection, "audit", "SELECT at, member, what, subject FROM deed WHERE space = %s ORDER BY number", space
            )
            state = SpaceState(row[0], row[1], row[2], _members(connection, space))
            yield KeptSpace(state, (KeptCopy(*copy) for copy in copies), (AuditEntry(*entry) for entry in entries))
            note(connection, space, at, OWNER, "backup")

    @contextmanager
    def restoring(self, at: datetime) -> Iterator[_Writer]:
        """Give a writer for a space."""
        with self._connected(None) as connection:
            writer = _Writer(connection, at)
            yield writer
            writer.finish()

    @contextmanager
    def _connected(self, isolation: psycopg.IsolationLevel | None) -> Iterator[psycopg.Connection]:
        with connect(self._database) as connection:
            connection.isolation_level = isolation
            try:
                connection.execute("SET TIME ZONE 'UTC'")
                must_be_plain(connection)
                must_fit(connection)
                _must_own(connection)
                yield connection
            except psycopg.OperationalError as error:
                raise TeamUnavailable("The team's database does not answer. Nothing was done.", "Try again.") from error


class SpreadSpaces:
    """The port :class:`vademecum.plugins.team.ports.SpaceOwner` over several databases.

    Args:
        home: returns the owner's address of the database that holds a space, or in which it is opened.
    """

    def __init__(self, home: Callable[[str], str]) -> None:
        self._home = home

    def reading(self, space: str, at: datetime) -> AbstractContextManager[KeptSpace]:
        """Give the current state of a space."""
        return PostgresSpaces(self._home(space)).reading(space, at)

    @contextmanager
    def restoring(self, at: datetime) -> Iterator[_Homing]:
        """Give a writer that connects when it is told the space."""
        with ExitStack() as stack:
            yield _Homing(lambda space: stack.enter_context(PostgresSpaces(self._home(space)).restoring(at)))


class _Homing:
    """The port :class:`vademecum.plugins.team.ports.SpaceWriter` in the database of its space."""

    _chosen: _Writer

    def __init__(self, writer: Callable[[str], _Writer]) -> None:
        self._writer = writer

    def space(self, state: SpaceState) -> None:
        """Create the space with its members."""
        self._chosen = self._writer(state.name)
        self._chosen.space(state)

    def copy(self, copy: KeptCopy, passages: Sequence[str], vectors: np.ndarray | None) -> None:
        """Append a copy."""
        self._chosen.copy(copy, passages, vectors)

    def audit(self, entries: Sequence[AuditEntry]) -> None:
        """Append audit lines."""
        self._chosen.audit(entries)


class _Writer:
    """The port :class:`vademecum.plugins.team.ports.SpaceWriter`, in one transaction."""

    def __init__(self, connection: psycopg.Connection, at: datetime) -> None:
        self._connection, self._at, self._words = connection, at, Words()
        self._name, self._cursor, self._part = "", 0, sql.Identifier("")

    def space(self, state: SpaceState) -> None:
        """Create the space with its members."""
        self._name, self._cursor = state.name, next_timeline(state.cursor, self._at)
        _enter(self._connection, state.name)
        try:
            made = self._connection.execute(
                "INSERT INTO space (name, cursor, opened) VALUES (%s, %s, %s) RETURNING number",
                (state.name, self._cursor, state.opened),
            ).fetchone()
        except psycopg.errors.UniqueViolation as error:
            raise AlreadyExists(
                f"There is a space {state.name} already, and nothing is written over.", "Restore it into another database."
            ) from error
        # A separate table until all rows are in: attaching the partition first would block every other space meanwhile.
        self._part = sql.Identifier(f"passage_{made[0] if made else 0}")
        self._connection.execute(sql.SQL("CREATE TABLE {} (LIKE passage)").format(self._part))
        members = [(kept.digest, *(getattr(kept.member, name) for name in MEMBER.split(", "))) for kept in state.members]
        self._many(f"INSERT INTO member (digest, {MEMBER}) VALUES (%s, %s, %s, %s, %s, %s, %s, %s)".encode(), members)

    def copy(self, copy: KeptCopy, passages: Sequence[str], vectors: np.ndarray | None) -> None:
        """Append a copy."""
        self._cursor += 1
        self._connection.execute(
            "INSERT INTO published (space, id, author, title, text, cursor, at) VALUES (%s, %s, %s, %s, %s, %s, %s)",
            (self._name, copy.id, copy.author, copy.title, copy.text, self._cursor, copy.at),
        )
        self._many(PUT_PASSAGE.format(self._part), passage_rows(self._words, self._name, copy.id, passages, vectors))

    def audit(self, entries: Sequence[AuditEntry]) -> None:
        """Append audit lines."""
        self._many(
            "INSERT INTO deed (space, at, member, what, subject) VALUES (%s, %s, %s, %s, %s)",
            [(self._name, entry.at, entry.member, entry.what, entry.subject) for entry in entries],
        )

    def finish(self) -> None:
        """Make the space searchable, and add an audit line about the restore."""
        self._connection.execute("UPDATE space SET cursor = %s WHERE name = %s", (self._cursor, self._name))
        attach = sql.SQL("ALTER TABLE passage ATTACH PARTITION {} FOR VALUES IN ({})")
        self._connection.execute(attach.format(self._part, sql.Literal(self._name)))
        note(self._connection, self._name, self._at, OWNER, "restore")

    def _many(self, statement: Any, rows: Sequence[tuple[object, ...]]) -> None:
        with self._connection.cursor() as cursor:
            cursor.executemany(statement, rows)


def _must_own(connection: psycopg.Connection) -> None:
    row = connection.execute(
        "SELECT pg_has_role(current_user, tableowner, 'USAGE') FROM pg_tables WHERE schemaname = 'team' AND tablename = 'space'"
    ).fetchone()
    if row is None or not row[0]:
        raise Refused("That role does not own the team's tables.", "See VADEMECUM_TEAM_OWNER.")


def _enter(connection: psycopg.Connection, space: str) -> None:
    connection.execute("SELECT set_config('vademecum.space', %s, true)", (space,))


def _members(connection: psycopg.Connection, space: str) -> tuple[KeptMember, ...]:
    rows = connection.execute(
        f'SELECT digest, {MEMBER} FROM member WHERE space = %s ORDER BY name COLLATE "C"'.encode(), (space,)
    )
    return tuple(KeptMember(Member(*row[1:]), bytes(row[0])) for row in rows)


def _rows(connection: psycopg.Connection, name: str, statement: str, space: str) -> Iterator[tuple[Any, ...]]:
    """Yield rows in batches from the server."""
    with connection.cursor(name=name) as cursor:
        cursor.execute(statement.encode(), (space,))
        yield from cursor
