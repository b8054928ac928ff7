"""Files become what the journals of all devices together say that they are.

Only files whose text some record tells of are written over, so nothing that a person typed can be lost by it.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from msgspec.structs import replace

from vademecum.domain.errors import Problem, VademecumError
from vademecum.vault.by_hand import Claim
from vademecum.vault.journal import GENERATED, Change, Record, Version
from vademecum.vault.merge import BY_SYNC, CONFLICT, MERGE, Folded
from vademecum.vault.places import CONFLICTS, numbered
from vademecum.vault.writer import Writer


def same_lines(path: str, text: str) -> list[Problem]:
    """Return what to tell of a note in which two devices changed the same lines."""
    told = "Two devices changed the same lines. Both stand, the later in a box: keep what holds, and take the box out."
    return [Problem(path, told)] if f"\n{CONFLICT} " in text else []


class Converger:
    """Writes what the journals say. Only under the lock.

    Args:
        roots: of the spaces, by name.
    """

    def __init__(self, writer: Writer, roots: Mapping[str, Path]) -> None:
        self._writer, self._roots = writer, roots

    def put_away(self, aside: Iterable[Claim], left: Iterable[Claim]) -> list[Record]:
        """Move conflict copies into a folder of their own, and take away files that a memory left where it stood before."""
        records = list[Record]()
        for claim in aside:
            target = self._free(claim.space, f"{CONFLICTS}/{claim.path}")
            records += self._page(claim, Version(claim.space + GENERATED, target, claim.etag, None))
        for claim in left:
            records += self._page(claim, None)
        return records

    def _page(self, claim: Claim, after: Version | None) -> Iterator[Record]:
        before = Version(claim.space + GENERATED, claim.path, claim.etag, None)
        yield self._writer.commit(MERGE, [Change("", before, after)], BY_SYNC, as_is=True)

    def settle(
        self,
        folds: Mapping[str, Folded],
        files: Mapping[str, Sequence[Version]],
        lost: Collection[str],
        others: Mapping[tuple[str, str], str],
    ) -> tuple[list[Record], list[Problem]]:
        """Write each memory as its records have it.

        Args:
            files: id -> its files, read. lost: ids of memories whose file a sync tool took away.
            others: place -> id of the memory whose file stands there.
        """
        records, problems, taken = list[Record](), list[Problem](), dict(others)
        for identity in sorted(folds):
            file, here = folds[identity].file, files.get(identity, ())
            if file is None or file.text is None or not (here or identity in lost):
                continue
            now = next((one for one in here if one.path == file.path), here[0] if here else None)
            if now is not None and (now.path, now.etag) == (file.path, file.etag):
                continue
            try:
                records += self._write(identity, now, file, taken)
                problems += same_lines(file.path, file.text) if now is None or CONFLICT not in (now.text or "") else ()
            except VademecumError as error:
                problems.append(Problem(file.path, f"It could not be merged: {error.message} {error.hint}"))
        return records, problems

    def _write(self, identity: str, now: Version | None, file: Version, taken: dict[tuple[str, str], str]) -> Iterator[Record]:
        """Write one memory. Of two at one place the one that was made later goes beside the other."""
        place = (file.space, file.path)
        other = taken.get(place, identity)
        if other < identity or (other == identity and now is None and self._stands(*place)):
            beside = replace(file, path=self._free(*place, mine=now.path if now else ""))
            self._writer.record_all("move", [[Change(identity, file, beside)]], BY_SYNC)
            file = beside
        elif other > identity:
            yield from self._make_way(other, place)
        if now is None or (now.path, now.etag) != (file.path, file.etag):
            taken[file.space, file.path] = identity
            yield self._writer.commit(MERGE, [Change(identity, now, file)], BY_SYNC, as_is=True)

    def _make_way(self, identity: str, place: tuple[str, str]) -> Iterator[Record]:
        """Put the memory that stands at a place beside it."""
        now = self._writer.version_at(*place)
        beside = replace(now, path=self._free(*place))
        yield self._writer.commit("move", [Change(identity, now, beside)], BY_SYNC, as_is=True)

    def _stands(self, space: str, path: str) -> bool:
        return (self._roots[space] / path).exists()

    def _free(self, space: str, path: str, mine: str = "") -> str:
        """Return the path, or the first with a number behind it, where nothing but the memory's own file stands."""
        number = 1
        while (chosen := path if number == 1 else numbered(path, number)) != mine and self._stands(space, chosen):
            number += 1
        return chosen
