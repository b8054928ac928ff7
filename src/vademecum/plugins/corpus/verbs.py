"""`vade reflect corpus`."""

from collections import Counter

from vademecum.plugin import on_context
from vademecum.plugin_api.verbs import Param, Verb
from vademecum.plugins.corpus.corpus import CorpusReport, reflect_corpus


def corpus_text(result: CorpusReport) -> str:
    """Return the number of transcripts by status, and the next command."""
    counts = Counter(corpus_session.status for corpus_session in result.sessions)
    lines = [
        f"{corpus_session.status:<10}  {corpus_session.session or corpus_session.path}"
        for corpus_session in result.sessions
        if corpus_session.status in ("failed", "unreadable")
    ]
    lines += [f"problem: {problem.path}: {problem.message}" for problem in result.problems]
    by_status = ", ".join(f"{count} {status}" for status, count in counts.most_common()) or "no transcripts"
    gained = sum(one.memories for one in result.sessions)
    lines.append(f"{by_status}" + (f"; {gained} new memories" if result.executed else ""))
    if result.left:
        lines.append(f"{result.left} wait. {'Continue' if result.executed else 'Do it'} with: vade reflect corpus --execute")
    return "\n".join(lines)


VERBS = (
    Verb("reflect corpus",
         "Process every transcript: read it, propose memories, write its handoff. Without --execute it only shows what it would do.", (
        Param("paths", "list", "Files or folders; empty: the folders of the settings.", (), place=True, named="place"),
        Param("execute", "flag", "Do it; without this, only show what would be done.", False),
        Param("batch_size", "number", "Transcripts per progress report.", 10),
        Param("max_batches", "number", "Stop after this many batches; 0: never.", 0),
    ), on_context(reflect_corpus), corpus_text, writes=True, agents=False, needs_enabled=False),
)  # fmt: skip
