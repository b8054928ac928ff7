"""The team store on PostgreSQL. Each call is one transaction, whose settings name space and member for the row policies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime

import numpy as np
import psycopg
from psycopg import sql
from psycopg_pool import ConnectionPool, PoolTimeout

from vademecum.domain.errors import AlreadyExists, Refused, TeamUnavailable
from vademecum.plugin_api.machine import Words, clean
from vademecum.plugins.team.postgres.schema import DIM, must_be_plain, must_serve
from vademecum.plugins.team.values import AuditEntry, Change, Found, Member, Published, What

#: Timeout for a pooled connection, in seconds.
_WAIT_S = 10.0
#: The same for `/ready`, whose caller rarely waits longer.
_PROBE_WAIT_S = 2.0
_CONNECTIONS = 8

#: Nodes that a search of the index of vectors visits. Of a million passages the ten nearest are found at .91 with 200, .95 with 400 and
#: .97 with 800, for 6, 13 and 20 ms (docs/measurements/scale.md); a search takes at most `schema._CANDIDATES` of them.
EF_SEARCH = 400

#: Columns of `member` in the order of the fields of `Member`.
MEMBER = "space, name, role, since, revoked, kind, sign_in"

#: Statement of :meth:`PostgresTeam.search`, also used by benchmarks with EXPLAIN.
SEARCH = """
SELECT found.id, title, author, found.text, score FROM found(%(terms)s::text[], %(vector)s::halfvec, %(limit)s)
JOIN published ON space = %(space)s AND published.id = found.id ORDER BY score DESC, found.id COLLATE "C"
"""


#: Inserts a passage into the given table or partition.
PUT_PASSAGE = sql.SQL(
    "INSERT INTO {} (space, id, ordinal, text, words, vector) VALUES (%s, %s, %s, %s, array_to_tsvector(%s), %s::halfvec)"
)


class PostgresTeam:
    """The port :class:`vademecum.plugins.team.ports.TeamStore` in a database that `schema.migrate` made.

    Args:
        database: libpq address that logs in as the service role.

    Raises:
        Refused: row level security does not apply to that role. TeamUnavailable: the database does not answer.
    """

    def __init__(self, database: str) -> None:
        self._words = Words()
        self._pool = ConnectionPool(
            database,
            min_size=1,
            max_size=_CONNECTIONS,
            timeout=_WAIT_S,
            kwargs={"options": f"-c search_path=team,public -c timezone=UTC -c hnsw.ef_search={EF_SEARCH}"},
            check=ConnectionPool.check_connection,
            open=False,
        )
        try:
            self._pool.open()
            with self._transaction("", "") as connection:
                must_be_plain(connection)
        except BaseException:
            self._pool.close()
            raise

    def must_be_ready(self) -> None:
        """Check that the database answers and its tables are new enough."""
        with self._transaction("", "", wait_s=_PROBE_WAIT_S) as connection:
            must_serve(connection)

    def load(self) -> Mapping[str, int]:
        """Return the state of the connection pool."""
        stats = self._pool.get_stats()
        return {
            "size": stats["pool_size"], "available": stats["pool_available"], "most": stats["pool_max"],
            "waiting": stats["requests_waiting"],
        }  # fmt: skip

    def holds(self, space: str) -> bool:
        """Return whether there is a space of that name."""
        with self._transaction(space, "") as connection:
            row = connection.execute("SELECT holds()").fetchone()
        return bool(row and row[0])

    def member_with(self, space: str, digest: bytes) -> Member | None:
        """Return the member with that token digest."""
        return self._member(space, "digest", digest)

    def member_signed_in(self, space: str, sign_in: str) -> Member | None:
        """Return the member with that subject of single sign-on."""
        return self._member(space, "sign_in", storable(sign_in)) if sign_in else None

    def _member(self, space: str, column: str, value: object) -> Member | None:
        statement = f"SELECT {MEMBER} FROM member WHERE space = %s AND {column} = %s AND revoked IS NULL"
        with self._transaction(space, "") as connection:
            row = connection.execute(statement.encode(), (space, value)).fetchone()
        return Member(*row) if row else None

    def members(self, space: str) -> tuple[Member, ...]:
        """Return all members by name."""
        with self._transaction(space, "") as connection:
            rows = connection.execute(
                f'SELECT {MEMBER} FROM member WHERE space = %s ORDER BY name COLLATE "C"'.encode(), (space,)
            )
            return tuple(Member(*row) for row in rows)

    def add_member(self, member: Member, digest: bytes, *, by: str) -> None:
        """Add or replace a member."""
        values = (member.space, member.name, member.role, digest, member.since, member.kind, storable(member.sign_in))
        try:
            with self._entered(member.space, by) as connection:
                connection.execute(
                    """INSERT INTO member (space, name, role, digest, since, kind, sign_in) VALUES (%s, %s, %s, %s, %s, %s, %s)
                    ON CONFLICT (space, name) DO UPDATE SET role = excluded.role, digest = excluded.digest, since = excluded.since,
                    revoked = NULL, kind = excluded.kind, sign_in = excluded.sign_in""",
                    values,
                )
                note(connection, member.space, member.since, by, "invite", member.name)
        except psycopg.errors.UniqueViolation as error:
            raise AlreadyExists(f"Another member of {member.space} signs in as {member.sign_in}.") from error

    def rotate(self, space: str, digest: bytes, at: datetime, *, by: str) -> None:
        """Replace the token of the calling member."""
        with self._entered(space, by) as connection:
            connection.execute("SELECT rotated(%s)", (digest,))
            note(connection, space, at, by, "rotate")

    def revoke(self, space: str, name: str, at: datetime, *, by: str) -> bool:
        """Revoke a member."""
        with self._entered(space, by) as connection:
            if name != by and _role(connection) != "keeper":
                raise _forbidden(space, by)
            note(connection, space, at, by, "revoke", name)
            done = connection.execute(
                "UPDATE member SET revoked = %s WHERE space = %s AND name = %s AND revoked IS NULL", (at, space, name)
            )
            if not done.rowcount:
                connection.rollback()
            return bool(done.rowcount)

    def publish(
        self, space: str, copy: Published, passages: Sequence[str], vectors: np.ndarray | None, at: datetime, *, by: str
    ) -> int:
        """Insert or replace a copy of this author."""
        rows = passage_rows(self._words, space, copy.id, passages, vectors)
        with self._entered(space, by) as connection:
            cursor = _next_cursor(connection, space)
            done = connection.execute(
                """INSERT INTO published (space, id, author, title, text, cursor, at) VALUES (%s, %s, %s, %s, %s, %s, %s)
                ON CONFLICT (space, id) DO UPDATE
                SET title = excluded.title, text = excluded.text, cursor = excluded.cursor, at = excluded.at
                WHERE published.author = excluded.author""",
                (space, copy.id, copy.author, storable(copy.title), storable(copy.text), cursor, at),
            )
            if not done.rowcount:
                raise Refused(f"The copy {copy.id} is another member's.", "Share a memory of your own.")
            connection.execute("DELETE FROM passage WHERE space = %s AND id = %s", (space, copy.id))
            with connection.cursor() as many:
                many.executemany(PUT_PASSAGE.format(sql.Identifier("passage")), rows)
            note(connection, space, at, by, "publish", copy.id)
            return cursor

    def withdraw(self, space: str, identity: str, at: datetime, *, by: str) -> int:
        """Delete a copy."""
        with self._entered(space, by) as connection:
            if _role(connection) == "reader":
                raise _forbidden(space, by)
            cursor = _next_cursor(connection, space)
            known = connection.execute(
                "SELECT author FROM published WHERE space = %s AND id = %s AND text IS NOT NULL", (space, identity)
            ).fetchone()
            done = connection.execute(
                "UPDATE published SET title = NULL, text = NULL, cursor = %s, at = %s WHERE space = %s AND id = %s AND text IS NOT NULL",
                (cursor, at, space, identity),
            )
            if known and not done.rowcount:
                raise Refused(f"The copy {identity} is another member's.", "Ask its author, or a keeper of the space.")
            if known is None:
                connection.rollback()
                return 0
            connection.execute("DELETE FROM passage WHERE space = %s AND id = %s", (space, identity))
            note(connection, space, at, by, "withdraw", identity)
            return cursor

    def changes(self, space: str, after: int, limit: int, at: datetime, *, by: str) -> tuple[Change, ...]:
        """Return the changes after a cursor, in order."""
        with self._entered(space, by) as connection:
            last = connection.execute("SELECT cursor FROM space WHERE name = %s", (space,)).fetchone()
            after = after if last and after <= last[0] else 0
            rows = connection.execute(
                """SELECT cursor, id, at, author, title, text FROM published WHERE space = %s AND cursor > %s
                ORDER BY cursor LIMIT %s""",
                (space, after, limit),
            ).fetchall()
            if rows:
                note(connection, space, at, by, "read", f"{rows[0][0]}-{rows[-1][0]}")
        return tuple(
            Change(cursor, identity, moment, Published(identity, author, title, text) if text is not None else None)
            for cursor, identity, moment, author, title, text in rows
        )

    def search(
        self, space: str, question: str, vector: np.ndarray | None, limit: int, at: datetime, *, by: str
    ) -> tuple[Found, ...]:
        """Search copies, best first."""
        near = None if vector is None or len(vector) != DIM else as_text(vector)
        terms = [quoted(term) for term in self._words.asked(storable(question))]
        values = {"space": space, "terms": terms, "limit": limit, "vector": near}
        with self._entered(space, by) as connection:
            note(connection, space, at, by, "search")
            return tuple(Found(*row) for row in connection.execute(SEARCH, values))

    def audit(self, space: str, limit: int, *, by: str) -> tuple[AuditEntry, ...]:
        """Return the latest audit lines."""
        with self._entered(space, by) as connection:
            if _role(connection) != "keeper":
                raise _forbidden(space, by)
            rows = connection.execute(
                "SELECT at, member, what, subject FROM deed WHERE space = %s ORDER BY number DESC LIMIT %s", (space, limit)
            )
            return tuple(AuditEntry(*row) for row in rows)

    def close(self) -> None:
        """Close all connections."""
        self._pool.close()

    @contextmanager
    def _transaction(self, space: str, by: str, wait_s: float = _WAIT_S) -> Iterator[psycopg.Connection]:
        """Give a connection in a transaction for one space and one member.

        Args:
            wait_s: how long to wait for a connection.

        Raises:
            Refused: by a row policy. TeamUnavailable: the database does not answer.
        """
        try:
            with self._pool.connection(wait_s) as connection:
                connection.execute(
                    "SELECT set_config('vademecum.space', %s, true), set_config('vademecum.member', %s, true)", (space, by)
                )
                yield connection
        except psycopg.errors.InsufficientPrivilege as error:
            raise _forbidden(space, by) from error
        except (psycopg.OperationalError, PoolTimeout) as error:
            raise TeamUnavailable("The team's database does not answer.", "Try again; its server's log says more.") from error

    @contextmanager
    def _entered(self, space: str, by: str) -> Iterator[psycopg.Connection]:
        """Like :meth:`_transaction`, for a member who is not revoked."""
        with self._transaction(space, by) as connection:
            if _role(connection) is None:
                raise _forbidden(space, by)
            yield connection


def _role(connection: psycopg.Connection) -> str | None:
    row = connection.execute("SELECT asking_role()").fetchone()
    return row[0] if row else None


def _forbidden(space: str, by: str) -> Refused:
    return Refused(f"{by or 'Nobody'} may not do that in {space}.", "Ask a keeper of the space.")


def _next_cursor(connection: psycopg.Connection, space: str) -> int:
    """Return the next cursor. Later transactions wait until this one ends, so that cursors become visible in order."""
    row = connection.execute("UPDATE space SET cursor = cursor + 1 WHERE name = %s RETURNING cursor", (space,)).fetchone()
    if row is None:
        raise Refused(f"There is no space {space}.")
    return int(row[0])


def note(connection: psycopg.Connection, space: str, at: datetime, by: str, what: What, subject: str = "") -> None:
    """Add an audit line."""
    connection.execute(
        "INSERT INTO deed (space, at, member, what, subject) VALUES (%s, %s, %s, %s, %s)", (space, at, by, what, subject)
    )


def passage_rows(
    words: Words, space: str, identity: str, passages: Sequence[str], vectors: np.ndarray | None
) -> list[tuple[object, ...]]:
    """Return parameters of `PUT_PASSAGE` for the passages of a copy. Vectors of another dimension are left out."""
    kept = vectors if vectors is not None and vectors.shape[1] == DIM else None
    return [
        (
            space,
            identity,
            number,
            storable(text),
            list(words.of(storable(text))),
            None if kept is None else as_text(kept[number]),
        )
        for number, text in enumerate(passages)
    ]


def storable(text: str) -> str:
    """Return a text that PostgreSQL can store: valid UTF-8 without NUL."""
    return clean(text).replace("\0", "\ufffd")


def quoted(term: str) -> str:
    """Quote a stem for a tsquery."""
    return "'" + term.replace("\\", "\\\\").replace("'", "''") + "'"


def as_text(vector: np.ndarray) -> str:
    """Return a vector in the text format of pgvector."""
    return "[" + ",".join(f"{number:.6g}" for number in vector.tolist()) + "]"
