"""What the SQLite that this process uses can do."""

import apsw


def features() -> dict[str, str | bool]:
    """Return version, whether the words index (FTS5) works, and whether extensions could be loaded (we need none)."""
    options = set(apsw.compile_options)
    return {
        "version": apsw.sqlite_lib_version(),
        "fts5": "ENABLE_FTS5" in options,
        "extensions": "OMIT_LOAD_EXTENSION" not in options,
    }
