"""Features of the SQLite library in this process."""

import apsw


def features() -> dict[str, str | bool]:
    """Return version, whether FTS5 is available, and whether extensions could be loaded (none are needed)."""
    options = set(apsw.compile_options)
    return {
        "version": apsw.sqlite_lib_version(),
        "fts5": "ENABLE_FTS5" in options,
        "extensions": "OMIT_LOAD_EXTENSION" not in options,
    }
