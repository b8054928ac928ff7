"""What was committed to a repository between two moments, asked of git itself. No git, no repository: nothing was."""

import re
import subprocess
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from vademecum.model.daily import Commit

#: A repository on a slow disk is not waited for longer, and a day has no more commits than a person reads.
TIMEOUT_S, COMMITS_MAX = 5, 50

#: What a repository's own configuration could make git run is switched off: the folder's name comes from a transcript.
_HARMLESS = (
    "--no-pager",
    "--no-optional-locks",
    *("-c", "log.showSignature=false"),
    *("-c", "core.fsmonitor=false"),
    *("-c", "core.hooksPath=/dev/null"),
    *("-c", "protocol.allow=never"),
)
_FIELD = "\x1f"
_HASH = re.compile(r"[0-9a-f]{4,64}")


def commits_between(folder: str, since: datetime, until: datetime) -> Sequence[Commit]:
    """Commits on local branches of the repository that a folder lies in, oldest first, by the time they were committed."""
    if not folder or not Path(folder).is_dir():
        return ()
    span = (f"--since={int(since.timestamp())}", f"--until={int(until.timestamp())}")
    shape = (f"--pretty=format:%h{_FIELD}%cI{_FIELD}%s", f"--max-count={COMMITS_MAX}", "--no-color", "--branches", "HEAD")
    try:
        asked = subprocess.run(
            ["git", *_HARMLESS, "-C", folder, "log", *span, *shape, "--"],
            capture_output=True,
            timeout=TIMEOUT_S,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ()
    found = filter(None, map(_commit, asked.stdout.decode("utf-8", "replace").splitlines()))
    return tuple(sorted(found, key=lambda one: one.time))


def _commit(line: str) -> Commit | None:
    name, _, rest = line.partition(_FIELD)
    moment, _, subject = rest.partition(_FIELD)
    if not _HASH.fullmatch(name):
        return None
    try:
        return Commit(name, datetime.fromisoformat(moment), subject)
    except ValueError:
        return None
