"""What an agent says it did is looked for in files and commits before it is remembered as done (SW-38, SW-41)."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from vademecum.capture.claims import Claim, claim_in
from vademecum.model.ports import Witness
from vademecum.model.session import Candidate
from vademecum.upkeep.parts import Parts

UNVERIFIED = "[UNVERIFIED]"
#: Subjects of commits count when they share so many telling words with the claim.
_SHARED = 3


def verified(parts: Parts, candidates: Iterable[Candidate], cwd: str) -> Iterator[Candidate]:
    """The candidates; claims of an agent with a line that tells where they were found, or marked as unverified.

    Args:
        cwd: folder that the conversation was held in; "": nothing can be looked up.
    """
    witness: Witness | None = None
    for candidate in candidates:
        claim = claim_in(candidate.text) if candidate.trust == "agent" else None
        if claim is None:
            yield candidate
            continue
        witness = witness or parts.open_witness(cwd)
        yield _judged(candidate, claim, witness)


def _judged(candidate: Candidate, claim: Claim, witness: Witness) -> Candidate:
    file, commit = _found(candidate.text, claim, witness)
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


def _found(text: str, claim: Claim, witness: Witness) -> tuple[str, str]:
    """(file, commit) that show it; "" for what does not."""
    for named in claim.files:
        path = next((path for path in witness.files if path == named or path.endswith(f"/{named}")), "")
        if path:
            return path, witness.commit_of(path)
    for name in claim.names:
        path = witness.holding(name)
        if path:
            return path, witness.commit_of(path)
    words = _words(text)
    commit = next((commit for commit, subject in witness.subjects if len(words & _words(subject)) >= _SHARED), "")
    return "", commit


def _words(text: str) -> frozenset[str]:
    return frozenset(word.casefold().strip(".,;:`'\"()") for word in text.split() if len(word) > 4)
