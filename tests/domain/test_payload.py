"""The object that a hook is given, from whatever bytes arrive."""

import json

import pytest

from vademecum.domain.errors import InvalidInput
from vademecum.domain.payload import payload_of

GIVEN = {"prompt": "Müsli {in} the jar", "session_id": "s1"}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_encodings(encoding):
    """A mark or the NUL beside a brace tells the encoding."""
    assert payload_of(json.dumps(GIVEN, ensure_ascii=False).encode(encoding)) == GIVEN


@pytest.mark.parametrize("data", [b'\r\n {"a": 1}\r\n', b'{"a": 1}\0\0', b'{"a": 1} and more', b'\0\0{"a": 1}'])
def test_around(data):
    """Blanks, padding and what follows the closing brace are passed over."""
    assert payload_of(data) == {"a": 1}


def test_odd_bytes():
    """A byte that is not text costs a character, not the event; so does a control character in a text."""
    assert payload_of(b'{"prompt": "caf\xe9 \x01", "cwd": "/srv"}') == {"prompt": "caf\ufffd \x01", "cwd": "/srv"}


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"null", b"7", b'["a", {}]', b'{"a": "cut', b"\xff\xfe", b"{" * 100_000])
def test_no_object(data):
    with pytest.raises(InvalidInput):
        payload_of(data)
