"""Tables of the team database as numbered migrations, and its roles.

Two roles log in. The *owner* owns the tables: it migrates and creates spaces. The *service* serves members: it owns nothing, and row
level security restricts each transaction to one space and one member. Neither is a superuser.
Every query names its space as well, because a policy alone does not let PostgreSQL skip other partitions.
"""

from contextlib import suppress

import psycopg
import psycopg.conninfo
from psycopg import sql

from vademecum.domain.errors import AlreadyExists, InvalidInput, Refused, TeamUnavailable
from vademecum.plugins.team.ports import COMMON, WORDS_SHARE
from vademecum.plugins.team.values import Member

#: Dimensions of a vector. With other models search uses words alone.
DIM = 512
#: Key of the advisory lock for migrations: "vade" as a number.
_LOCK = 0x76616465
#: Lock timeout of a migration step in milliseconds, and how often all steps are tried.
_LOCK_WAIT_MS, _TRIES = 500, 20
_PREPARE = "Make or update them: vade team prepare"

_TABLES = f"""
CREATE TABLE space (name text PRIMARY KEY, number serial, cursor bigint NOT NULL DEFAULT 0, opened timestamptz NOT NULL);
CREATE TABLE member (
  space text NOT NULL REFERENCES space, name text NOT NULL, role text NOT NULL CHECK (role IN ('reader', 'writer', 'keeper')),
  digest bytea NOT NULL, since timestamptz NOT NULL, revoked timestamptz, PRIMARY KEY (space, name), UNIQUE (space, digest));
CREATE TABLE published (
  space text NOT NULL REFERENCES space, id text NOT NULL, author text NOT NULL, title text, text text, cursor bigint NOT NULL,
  at timestamptz NOT NULL, PRIMARY KEY (space, id), UNIQUE (space, cursor));
CREATE TABLE passage (
  space text NOT NULL, id text NOT NULL, ordinal int NOT NULL, text text NOT NULL, words tsvector NOT NULL, vector halfvec({DIM}),
  PRIMARY KEY (space, id, ordinal)) PARTITION BY LIST (space);
CREATE INDEX passage_words ON passage USING gin (words) WITH (fastupdate = off);
CREATE INDEX passage_vector ON passage USING hnsw (vector halfvec_ip_ops);
CREATE TABLE deed (
  number bigserial PRIMARY KEY, space text NOT NULL REFERENCES space, at timestamptz NOT NULL, member text NOT NULL,
  what text NOT NULL, subject text NOT NULL);
CREATE INDEX deed_last ON deed (space, number DESC);
"""

#: Two settings of the transaction name space and member. `asking_role` runs as the owner, past the policies that use it.
_POLICIES = """
CREATE FUNCTION here() RETURNS text LANGUAGE sql STABLE AS $$ SELECT current_setting('vademecum.space', true) $$;
CREATE FUNCTION asking() RETURNS text LANGUAGE sql STABLE AS $$ SELECT current_setting('vademecum.member', true) $$;
CREATE FUNCTION asking_role() RETURNS text LANGUAGE sql STABLE SECURITY DEFINER SET search_path = team AS
  $$ SELECT role FROM member WHERE space = here() AND name = asking() AND revoked IS NULL $$;
ALTER TABLE space ENABLE ROW LEVEL SECURITY;
ALTER TABLE member ENABLE ROW LEVEL SECURITY;
ALTER TABLE published ENABLE ROW LEVEL SECURITY;
ALTER TABLE passage ENABLE ROW LEVEL SECURITY;
ALTER TABLE deed ENABLE ROW LEVEL SECURITY;
ALTER TABLE space FORCE ROW LEVEL SECURITY;
ALTER TABLE member FORCE ROW LEVEL SECURITY;
ALTER TABLE published FORCE ROW LEVEL SECURITY;
ALTER TABLE deed FORCE ROW LEVEL SECURITY;
CREATE POLICY opened ON space TO CURRENT_USER USING (name = here());
CREATE POLICY opened ON member TO CURRENT_USER USING (space = here());
CREATE POLICY opened ON deed FOR INSERT TO CURRENT_USER WITH CHECK (space = here());
CREATE POLICY entered ON space USING (name = here() AND (SELECT asking_role()) IS NOT NULL);
CREATE POLICY listed ON member FOR SELECT USING (space = here());
CREATE POLICY invited ON member FOR INSERT WITH CHECK (space = here() AND (SELECT asking_role()) = 'keeper');
CREATE POLICY kept ON member FOR UPDATE USING (space = here() AND ((SELECT asking_role()) = 'keeper' OR name = asking()))
  WITH CHECK (space = here() AND ((SELECT asking_role()) = 'keeper' OR revoked IS NOT NULL));
CREATE POLICY seen ON published FOR SELECT USING (space = here() AND (SELECT asking_role()) IS NOT NULL);
CREATE POLICY added ON published FOR INSERT
  WITH CHECK (space = here() AND author = asking() AND (SELECT asking_role()) IN ('writer', 'keeper'));
CREATE POLICY changed ON published FOR UPDATE
  USING (space = here() AND ((SELECT asking_role()) = 'keeper' OR (SELECT asking_role()) = 'writer' AND author = asking()));
CREATE POLICY seen ON passage FOR SELECT USING (space = here() AND (SELECT asking_role()) IS NOT NULL);
CREATE POLICY written ON passage USING (space = here() AND (SELECT asking_role()) IN ('writer', 'keeper'));
CREATE POLICY noted ON deed FOR INSERT WITH CHECK (space = here() AND member = asking());
CREATE POLICY audited ON deed FOR SELECT USING (space = here() AND (SELECT asking_role()) = 'keeper');
"""

#: Passages returned by each search arm; many copies have more than one.
_CANDIDATES = 200

_HELD = f"""
WITH term AS MATERIALIZED (
  SELECT term, ln(1 + {COMMON}::float8 / greatest(count, 1)) AS weight
  FROM unnest($2) AS asked(term), LATERAL (
    SELECT count(*) FROM (SELECT FROM passage WHERE space = $1 AND words @@ term::tsquery LIMIT {COMMON}) AS holding) AS counted(count)
  WHERE count < {COMMON}
), held AS MATERIALIZED (
  SELECT passage.id, ordinal, sum(weight) / (SELECT sum(weight) FROM term) AS words
  FROM term JOIN passage ON space = $1 AND words @@ term::tsquery
  GROUP BY passage.id, ordinal ORDER BY sum(weight) DESC, passage.id, ordinal LIMIT {_CANDIDATES}
)"""
_BY_WORDS = f"""{_HELD}, scored AS (SELECT held.id, ordinal, held.words AS score FROM held)"""
_BY_BOTH = f"""{_HELD}, near AS MATERIALIZED (
  SELECT passage.id, ordinal FROM passage WHERE space = $1 AND vector IS NOT NULL ORDER BY vector <#> $3 LIMIT {_CANDIDATES}
), scored AS (
  SELECT id, ordinal, {WORDS_SHARE} * coalesce(held.words, 0)
    + {1 - WORDS_SHARE} * greatest(coalesce(-(vector <#> $3), 0), 0) AS score
  FROM (SELECT held.id, ordinal FROM held UNION SELECT near.id, ordinal FROM near) AS one
  JOIN passage USING (id, ordinal) LEFT JOIN held USING (id, ordinal) WHERE space = $1)"""
_BEST = """
SELECT id, passage.text, score
FROM (SELECT DISTINCT ON (scored.id) scored.id, ordinal, score FROM scored ORDER BY scored.id, score DESC, ordinal) AS best
JOIN passage USING (id, ordinal) WHERE space = $1 ORDER BY score DESC, id LIMIT $4"""

#: PostgreSQL does not use a text index under a row policy, because its operator could leak hidden rows: a search would read the whole
#: space (measured: 140 ms instead of 5 for 10,000 passages). So a function of the owner searches, only in the space of the transaction
#: and only for its members; the service cannot read passages in any other way. EXECUTE plans it with the space as a constant, so that
#: only one partition is read.
_SEARCH = f"""
CREATE FUNCTION found(terms text[], near halfvec, wanted int) RETURNS TABLE (id text, text text, score float8)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = team, public AS $body$
BEGIN
  IF asking_role() IS NULL THEN
    RETURN;
  ELSIF near IS NULL THEN
    RETURN QUERY EXECUTE $words${_BY_WORDS}{_BEST}$words$ USING here(), terms, near, wanted;
  ELSE
    RETURN QUERY EXECUTE $both${_BY_BOTH}{_BEST}$both$ USING here(), terms, near, wanted;
  END IF;
END $body$;
"""

#: The owner reads and restores whole spaces, restricted to the space of the transaction as well.
_OWNED = """
CREATE POLICY owned ON published TO CURRENT_USER USING (space = here());
CREATE POLICY owned ON deed FOR SELECT TO CURRENT_USER USING (space = here());
"""

#: `rotated` changes the token of the calling member; the policies allow members to change nothing about themselves except leaving.
_ACCOUNTS = """
ALTER TABLE member ADD COLUMN kind text NOT NULL DEFAULT 'person' CHECK (kind IN ('person', 'service')),
  ADD COLUMN sign_in text NOT NULL DEFAULT '';
CREATE UNIQUE INDEX member_sign_in ON member (space, sign_in) WHERE sign_in <> '';
CREATE FUNCTION rotated(fresh bytea) RETURNS void LANGUAGE sql SECURITY DEFINER SET search_path = team AS
  $$ UPDATE member SET digest = fresh WHERE space = here() AND name = asking() AND revoked IS NULL $$;
"""

#: Tells the service whether a space is here, before it knows a member: spaces may lie in several databases.
_HOLDS = """
CREATE FUNCTION holds() RETURNS boolean LANGUAGE sql STABLE SECURITY DEFINER SET search_path = team AS
  $$ SELECT EXISTS (SELECT FROM space WHERE name = here()) $$;
"""

#: Applied once each, in order. Existing steps are never changed. A server of the previous version keeps working during and after a step:
#: it adds tables, columns with defaults and functions, and removes only what the previous version did not use.
MIGRATIONS = (_TABLES, _POLICIES, _SEARCH, _OWNED, _ACCOUNTS, _HOLDS)

#: Privileges of the service; the policies restrict the rows. It cannot change audit lines, and deletes only passages.
_GRANTS = sql.SQL("""
GRANT USAGE ON SCHEMA team TO {role};
GRANT SELECT ON migration TO {role};
GRANT SELECT, UPDATE (cursor) ON space TO {role};
GRANT SELECT, INSERT, UPDATE (role, digest, since, revoked, kind, sign_in) ON member TO {role};
GRANT SELECT, INSERT, UPDATE (title, text, cursor, at) ON published TO {role};
GRANT SELECT (space, id), INSERT, DELETE ON passage TO {role};
GRANT SELECT, INSERT ON deed TO {role};
GRANT USAGE ON SEQUENCE deed_number_seq TO {role};
""")


def connect(database: str) -> psycopg.Connection:
    """Connect to the team database.

    Raises:
        TeamUnavailable: it cannot be reached. InvalidInput: the address is invalid.
    """
    try:
        return psycopg.connect(database, options="-c search_path=team,public")
    except psycopg.OperationalError as error:
        raise TeamUnavailable(f"The database does not answer: {_first_line(error)}", "See VADEMECUM_TEAM_DATABASE.") from error
    except psycopg.Error as error:
        raise InvalidInput(f"The address of the database cannot be used: {_first_line(error)}") from error


def role_of(database: str) -> str:
    """Return the role that an address logs in as.

    Raises:
        InvalidInput: it names no role, or is invalid.
    """
    try:
        role = psycopg.conninfo.conninfo_to_dict(database).get("user")
    except psycopg.Error as error:
        raise InvalidInput(f"The address of the database cannot be used: {_first_line(error)}") from error
    if not role:
        raise InvalidInput("The address of the database names no role.", "Write it as postgresql://ROLE:PASSWORD@HOST/DATABASE")
    return str(role)


def name_of(database: str) -> str:
    """Return HOST:PORT/DATABASE of an address, whatever its role and password.

    Raises:
        InvalidInput: it is invalid.
    """
    try:
        parts = psycopg.conninfo.conninfo_to_dict(database)
    except psycopg.Error as error:
        raise InvalidInput(f"The address of the database cannot be used: {_first_line(error)}") from error
    return f"{parts.get('host', 'localhost')}:{parts.get('port', 5432)}/{parts.get('dbname', parts.get('user', ''))}"


def migrate(database: str, service: str) -> int:
    """Migrate the tables as their owner, grant privileges to the role `service`, and return the number of steps applied.

    Concurrent migrations wait for each other. All steps are one transaction. Servers keep running: a step that would wait for a table
    gives up after the lock timeout, so that no request queues behind it, and all steps are tried again.

    Raises:
        Refused: a role is a superuser, or lacks privileges. InvalidInput: there is no such role.
        TeamUnavailable: a table was in use in each of `_TRIES` attempts.
    """
    for _ in range(_TRIES):
        with suppress(psycopg.errors.LockNotAvailable):
            return _migrate(database, service)
    raise TeamUnavailable("A table of the team stayed in use. Nothing was changed.", "Try again: vade team prepare")


def _migrate(database: str, service: str) -> int:
    with connect(database) as connection:
        try:
            must_be_plain(connection)
            connection.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
            connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
            connection.execute("CREATE SCHEMA IF NOT EXISTS team")
            connection.execute("CREATE TABLE IF NOT EXISTS migration (number int PRIMARY KEY, at timestamptz DEFAULT now())")
            done = _steps_done(connection)
            if done > len(MIGRATIONS):
                raise _newer()
            connection.execute(f"SET LOCAL lock_timeout = {_LOCK_WAIT_MS}".encode())
            for number, statements in enumerate(MIGRATIONS[done:], done + 1):
                connection.execute(statements.encode())
                connection.execute("INSERT INTO migration (number) VALUES (%s)", (number,))
            connection.execute(_GRANTS.format(role=sql.Identifier(service)))
            return len(MIGRATIONS) - done
        except psycopg.errors.InsufficientPrivilege as error:
            raise Refused(
                f"The owner may not do that: {_first_line(error)}",
                "A superuser does once, in that database: CREATE EXTENSION vector; ALTER DATABASE ... OWNER TO the owner.",
            ) from error
        except psycopg.errors.UndefinedObject as error:
            raise InvalidInput(
                f"{_first_line(error).capitalize()}.", f"Make it once: CREATE ROLE {service} LOGIN PASSWORD '...'"
            ) from error


def must_fit(connection: psycopg.Connection) -> None:
    """Check that the tables are of exactly this version.

    Raises:
        Refused: there are none, some steps are missing, or they are of a newer version.
    """
    must_serve(connection)
    if _steps_done(connection) > len(MIGRATIONS):
        raise _newer()


def must_serve(connection: psycopg.Connection) -> None:
    """Check that members can be served from the tables, which may be of a later version: see `MIGRATIONS`.

    Raises:
        Refused: there are none, or some steps are missing.
    """
    try:
        done = _steps_done(connection)
    except psycopg.errors.UndefinedTable as error:
        raise Refused("The database has no tables of a team yet.", _PREPARE) from error
    except psycopg.errors.InsufficientPrivilege as error:  # the privileges are of a version that did not need this
        raise Refused("The tables of the team are those of an earlier version.", _PREPARE) from error
    if done < len(MIGRATIONS):
        raise Refused("The tables of the team are those of an earlier version.", _PREPARE)


def _steps_done(connection: psycopg.Connection) -> int:
    row = connection.execute("SELECT count(*) FROM migration").fetchone()
    return int(row[0]) if row else 0


def _newer() -> Refused:
    return Refused("A newer version of Vademecum made the tables of this team.", "Bring this one up to date first.")


def holds_space(database: str, space: str) -> bool:
    """Return whether there is a space of that name in a database, asked as the owner of its tables.

    Raises:
        TeamUnavailable: it does not answer. Refused: it has no tables of a team, or those of an earlier version.
    """
    with connect(database) as connection:
        must_serve(connection)
        connection.execute("SELECT set_config('vademecum.space', %s, true)", (space,))
        row = connection.execute("SELECT holds()").fetchone()
        return bool(row and row[0])


def open_space(database: str, keeper: Member, digest: bytes) -> None:
    """Create a space with its first keeper, as the owner of the tables.

    Raises:
        AlreadyExists: there is one of that name.
    """
    with connect(database) as connection:
        connection.execute("SELECT set_config('vademecum.space', %s, true)", (keeper.space,))
        try:
            made = connection.execute(
                "INSERT INTO space (name, opened) VALUES (%s, %s) RETURNING number", (keeper.space, keeper.since)
            ).fetchone()
        except psycopg.errors.UniqueViolation as error:
            raise AlreadyExists(f"There is a space {keeper.space} already.", "See who keeps it: vade team members") from error
        except psycopg.errors.UndefinedTable as error:
            raise Refused("The database has no tables of a team yet.", _PREPARE) from error
        part = sql.Identifier(f"passage_{made[0] if made else 0}")
        connection.execute(
            sql.SQL("CREATE TABLE {} PARTITION OF passage FOR VALUES IN ({})").format(part, sql.Literal(keeper.space))
        )
        connection.execute(
            "INSERT INTO member (space, name, role, digest, since) VALUES (%s, %s, %s, %s, %s)",
            (keeper.space, keeper.name, keeper.role, digest, keeper.since),
        )
        connection.execute(
            "INSERT INTO deed (space, at, member, what, subject) VALUES (%s, %s, %s, 'open', '')",
            (keeper.space, keeper.since, keeper.name),
        )


def must_be_plain(connection: psycopg.Connection) -> None:
    """Check that row level security applies to a role.

    Raises:
        Refused: it is a superuser, or bypasses row level security.
    """
    row = connection.execute("SELECT rolname, rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user").fetchone()
    if row is None or row[1]:
        raise Refused(
            f"The role {row[0] if row else '?'} is a superuser, whom row level security does not hold.",
            "Log in as a plain role of its own: CREATE ROLE vademecum LOGIN PASSWORD '...'",
        )


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0]
