"""`vade sql`."""

from vademecum.plugin import on_context
from vademecum.plugin_api.verbs import Param, Verb
from vademecum.plugins.sql.ask import ask
from vademecum.plugins.sql.values import Rows


def rows_text(result: Rows) -> str:
    """Return a line for each row, columns separated by tabs; newlines in values become spaces."""
    lines = ["\t".join(result.columns), *("\t".join(map(_cell, row)) for row in result.rows)]
    return "\n".join([*lines, *(["(there are more rows: --limit)"] if result.more else [])])


def _cell(value: object) -> str:
    if isinstance(value, bytes):
        return f"<{len(value)} bytes>"
    return "" if value is None else " ".join(str(value).split())


VERBS = (
    Verb("sql",
         "Query with read-only SQL: facts, fact_edges, fact_embeddings, known_topics, memory_audit, sessions and more.", (
        Param("statement", "words", "One SELECT.", place=True),
        Param("limit", "number", "Maximum number of rows.", 1000, least=1, most=100_000),
        Param("seconds", "number", "Longest time it may take.", 5, least=1, most=60),
    ), on_context(ask), rows_text, agents=False, signed=True),
)  # fmt: skip
