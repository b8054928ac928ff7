"""What a conformance case is: one kind of record of one host, and the turns that it must give.

To add a host: `transcript_cases.py` with a tuple `CASES` among the tests of its plugin; `test_conformance.py` finds it. Each kind of
record that the host writes gets a case, for each family of versions in which it looks different. All text is invented.
"""

import json
from collections.abc import Mapping
from typing import Any

from msgspec import Struct


class Case(Struct, frozen=True, kw_only=True):
    """One kind of record and what it must give.

    Attributes:
        kind: of record, in plain words; unique for the format and version.
        format: class of :func:`vademecum.adapters.transcripts.formats` that must recognise and read it.
        version: of the host that writes such records.
        path: where the host keeps the file.
        records: the objects of the file, one a line; or the file's bytes.
        turns: all turns in order, each as the fields of `Turn` it must have (`speaker` and `text` always; `time` as ISO text).
            A field that is not named is not compared.
        session: fields of the session (`id`, `host`, `cwd`, `project`, `title`, ...) that it must have.
        unknown: record kinds that must be counted as unknown, and no others.
    """

    kind: str
    format: str
    version: str
    path: str
    records: tuple[Mapping[str, Any], ...] | bytes
    turns: tuple[Mapping[str, Any], ...]
    session: Mapping[str, Any] = {}
    unknown: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Return the name of the test."""
        return f"{self.format}-{self.version}-{self.kind}".replace(" ", "_")

    @property
    def data(self) -> bytes:
        """Return the bytes of the file."""
        if isinstance(self.records, bytes):
            return self.records
        return b"".join(json.dumps(record, ensure_ascii=False).encode() + b"\n" for record in self.records)


def turn(speaker: str, text: str, **fields: Any) -> Mapping[str, Any]:
    """Return a turn that is expected."""
    return {"speaker": speaker, "text": text, **fields}
