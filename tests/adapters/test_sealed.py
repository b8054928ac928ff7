"""The age format: ours is read by others and theirs by us."""

import base64
import io

import pyrage
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vademecum.adapters.backups import sealed
from vademecum.domain.errors import BackupUnusable

WORDS = "correct horse"
#: Made by rage, the implementation of age in Rust.
THEIRS = """
YWdlLWVuY3J5cHRpb24ub3JnL3YxCi0+IHNjcnlwdCA3U28vbkhtWnVVNTZCTGYwNjNVeEJBIDE3CkFER3RRdXliS1JaUXFZQXlBWkpuK2hxYk
swajhEajI5Z0ZNM0ZNL3ptdDgKLS0tIHhuUndXNGJqUTdkcmtqN0VFbmp2d1NUaFZESW1WZ1JxM21hOXdSQjhnYXMKtLlQuBDrDYPO3zmGbCey
NYuoanDE49p1X5wo39DxyUU8zIA6Ijk/iHmhMsGfV+QiySWNZGSUUGyHj3WYAuhhRd6tGQ==
"""
CHUNK = 64 << 10


@pytest.fixture(autouse=True)
def quick_keys(monkeypatch):
    monkeypatch.setattr(sealed, "WORK", 4)


def seal(*pieces):
    file = io.BytesIO()
    with sealed.Sealing(file, WORDS) as out:
        for piece in pieces:
            out.write(piece)
    return file.getvalue()


def opened(data, words=WORDS):
    with sealed.Unsealed(io.BytesIO(data), words) as file:
        return b"".join(iter(lambda: file.read(100_000), b""))


def test_reads_what_rage_wrote():
    assert opened(base64.b64decode(THEIRS)) == b"The kiln is fired at 1240 degrees.\n"


@pytest.mark.parametrize("size", [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK])
def test_rage_reads_what_we_wrote(size):
    """At every border of a piece, the empty text included."""
    text = bytes(range(256)) * (size // 256) + bytes(size % 256)
    data = seal(text[: size // 3], text[size // 3 :])
    assert pyrage.passphrase.decrypt(data, WORDS) == text
    assert opened(data) == text


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_any_change_is_seen(data):
    """Whatever byte is changed and wherever it is cut: an error, never other bytes."""
    whole = _WHOLE
    place = data.draw(st.integers(0, len(whole) - 1))
    flipped = whole[:place] + bytes([whole[place] ^ data.draw(st.integers(1, 255))]) + whole[place + 1 :]
    for bad in (flipped, whole[:place]):
        with pytest.raises(BackupUnusable):
            opened(bad)


def test_other_passphrase():
    with pytest.raises(BackupUnusable, match="passphrase is wrong"):
        opened(_WHOLE, "correct Horse")


sealed.WORK, _before = 4, sealed.WORK
_WHOLE = seal(b"x" * (CHUNK + 5000))
sealed.WORK = _before
