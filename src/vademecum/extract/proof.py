"""Check whether a session proves what an agent claims: its tools wrote the file, git made the commit (SW-38).

A claim that names nothing counts as proven when any tool wrote a file or ran a command.
"""

from collections.abc import Sequence

from vademecum.domain.session import Turn, writes_files
from vademecum.extract.claims import claim_in
from vademecum.extract.commits import RepositoryEffects, commands_of
from vademecum.extract.report import report_sign


def is_proven(line: str, report: Turn, turns: Sequence[Turn], did: RepositoryEffects) -> bool:
    """Return whether a line of an agent's report claims no finished work, or the session proves it.

    Args:
        turns: the session's turns without sub-agents.
        did: what its commands did to the repository.
    """
    committed = report_sign("committed").search(line) is not None
    claim = claim_in(line)
    if claim is None and not committed:
        return True
    before = [turn for turn in turns[: turns.index(report)] if turn.role == "tool" and turn.tools]
    if committed and not did.commits:
        return False
    if claim is None or not claim.files:
        return any(map(writes_files, (name for turn in before for name in turn.tools))) or any(
            True for turn in before for _ in commands_of(turn)
        )
    seen = [*(path for turn in before for path in turn.files), *(line for turn in before for line in commands_of(turn))]
    return any(name.rpartition("/")[2] in entry for name in claim.files for entry in seen)
