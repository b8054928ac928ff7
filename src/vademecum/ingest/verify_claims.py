"""Check an agent's claims of finished work against files and commits before they are saved (SW-38, SW-41)."""

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from vademecum.context.context import Context
from vademecum.domain.outline import UNVERIFIED
from vademecum.domain.session import Candidate
from vademecum.extract.claims import Claim, claim_in
from vademecum.ports.repository import Repository

#: Minimum number of significant words that a commit's subject shares with the claim.
_SHARED = 3


def verified(context: Context, candidates: Iterable[Candidate], cwd: str) -> Iterator[Candidate]:
    """Yield the candidates.

    An agent's claim gets a line that names the file or commit that proves it, or is marked as unverified. Claims that the
    person agreed to, or that a command proves, are not checked.

    Args:
        cwd: folder of the conversation; "": nothing can be looked up.
    """
    repository: Repository | None = None
    for candidate in candidates:
        is_bare = candidate.trust == "agent" and candidate.confidence != "high"
        claim = claim_in(candidate.text) if is_bare else None
        if claim is None:
            yield candidate
            continue
        repository = repository or context.outside.open_repository(cwd)
        yield _judged(candidate, claim, repository)


def _judged(candidate: Candidate, claim: Claim, repository: Repository) -> Candidate:
    file, commit = _found(candidate.text, claim, repository)
    if not file and not commit:
        return replace(
            candidate,
            text=f"{UNVERIFIED} {candidate.text}",
            confidence="low",
            rationale=f"{candidate.rationale}; no file and no commit shows it",
        )
    detail = ", ".join(filter(None, (file, f"commit {commit}" if commit else "not committed")))
    return replace(
        candidate, text=f"{candidate.text}\n\nDetail: {detail}", rationale=f"{candidate.rationale}; seen in {detail}"
    )


def _found(text: str, claim: Claim, repository: Repository) -> tuple[str, str]:
    """Return (file, commit) that support a claim; each "" when not found."""
    for named in claim.files:
        path = next((path for path in repository.files if path == named or path.endswith(f"/{named}")), "")
        if path:
            return path, repository.commit_of(path)
    for name in claim.names:
        path = repository.holding(name)
        if path:
            return path, repository.commit_of(path)
    words = _words(text)
    commit = next((commit for commit, subject in repository.subjects if len(words & _words(subject)) >= _SHARED), "")
    return "", commit


def _words(text: str) -> frozenset[str]:
    return frozenset(word.casefold().strip(".,;:`'\"()") for word in text.split() if len(word) > 4)
