"""Files encrypted with a passphrase in the age format, version 1 (https://c2sp.org/age): `age -d FILE` decrypts them as well.

The format is maintained independently and several programs read it, so files can be decrypted without this program. Its framing
is implemented here on the ciphers of `cryptography`, because the bindings of age itself read a whole file into memory and have
no wheel for Windows on ARM. Reading and writing take 64 KB of memory, whatever the file's size, and 256 MB for about a second
to derive the key.
"""

import base64
import hashlib
import hmac
import io
import re
from typing import BinaryIO

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

from vademecum.adapters.clock import random_bytes
from vademecum.domain.errors import BackupUnusable

MAGIC = b"age-encryption.org/v1\n"
#: log2 of scrypt's rounds: the value for new files, which age itself uses, and the maximum accepted when reading.
WORK, WORK_MAX = 18, 20
_CHUNK_BYTES, _TAG_BYTES = 64 << 10, 16
_STANZA = re.compile(rb"-> scrypt ([A-Za-z0-9+/]{22}) ([1-9][0-9]?)\n([A-Za-z0-9+/]{43})\n--- ([A-Za-z0-9+/]{43})\n")
_HEADER_MAX_BYTES = 1000
_LABEL = b"age-encryption.org/v1/scrypt"


class Sealing(io.RawIOBase):
    """Encrypts data into a file. Without :meth:`close` the file is truncated, which readers detect."""

    def __init__(self, file: BinaryIO, passphrase: str) -> None:
        salt, key, nonce = random_bytes(16), random_bytes(16), random_bytes(16)
        wrapped = ChaCha20Poly1305(_wrapping_key(passphrase, salt, WORK)).encrypt(bytes(12), key, None)
        head = MAGIC + b"-> scrypt %s %d\n%s\n---" % (_base64(salt), WORK, _base64(wrapped))
        file.write(head + b" " + _base64(_mac(key, head)) + b"\n" + nonce)
        self._file, self._cipher = file, ChaCha20Poly1305(_derived(key, nonce, b"payload"))
        self._waiting, self._count = bytearray(), 0

    def writable(self) -> bool:
        """Return True."""
        return True

    def write(self, data: "bytes | memoryview[int]") -> int:  # type: ignore[override]
        """Encrypt and append some bytes."""
        self._waiting += data
        while len(self._waiting) > _CHUNK_BYTES:
            self._put(bytes(self._waiting[:_CHUNK_BYTES]), is_last=False)
            del self._waiting[:_CHUNK_BYTES]
        return len(data)

    def close(self) -> None:
        """Write the final chunk, which marks the file as complete."""
        if not self.closed:
            self._put(bytes(self._waiting), is_last=True)
        super().close()

    def _put(self, chunk: bytes, *, is_last: bool) -> None:
        self._file.write(self._cipher.encrypt(_nonce(self._count, is_last), chunk, None))
        self._count += 1


class Unsealed(io.RawIOBase):
    """Decrypts a file, verifying each chunk before it is returned.

    Raises:
        BackupUnusable: in the constructor and while reading: wrong passphrase, or a damaged or truncated file.
    """

    def __init__(self, file: BinaryIO, passphrase: str) -> None:
        head = file.read(_HEADER_MAX_BYTES)
        found = _STANZA.match(head, len(MAGIC))
        if not head.startswith(MAGIC) or found is None or not 1 <= int(found[2]) <= WORK_MAX:
            raise BackupUnusable("It is not encrypted with a passphrase, or its beginning is damaged.")
        wrapping = ChaCha20Poly1305(_wrapping_key(passphrase, _bytes(found[1]), int(found[2])))
        try:
            key = wrapping.decrypt(bytes(12), _bytes(found[3]), None)
        except InvalidTag:
            raise BackupUnusable("The passphrase is wrong.", "Give the one that was used when it was made.") from None
        if not hmac.compare_digest(_mac(key, head[: found.start(4) - 1]), _bytes(found[4])):
            raise BackupUnusable("Its beginning is damaged.")
        file.seek(found.end())
        self._file, self._cipher = file, ChaCha20Poly1305(_derived(key, file.read(16), b"payload"))
        self._next, self._count, self._open = file.read(_CHUNK_BYTES + _TAG_BYTES), 0, bytearray()

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, into: "bytearray | memoryview[int]") -> int:  # type: ignore[override]
        """Read the next bytes into a buffer and return their number; 0 at the end."""
        while not self._open and self._take():
            pass
        size = min(len(into), len(self._open))
        into[:size] = self._open[:size]
        del self._open[:size]
        return size

    def _take(self) -> bool:
        """Decrypt the next chunk; return False after the last one."""
        if self._count < 0:
            return False
        sealed, self._next = self._next, self._file.read(_CHUNK_BYTES + _TAG_BYTES)
        try:
            self._open += self._cipher.decrypt(_nonce(self._count, not self._next), sealed, None)
        except InvalidTag:
            raise BackupUnusable("It is damaged, or its end is missing.") from None
        self._count = self._count + 1 if self._next else -1
        return True


def _wrapping_key(passphrase: str, salt: bytes, work: int) -> bytes:
    rounds = 1 << work
    return hashlib.scrypt(
        passphrase.encode(), salt=_LABEL + salt, n=rounds, r=8, p=1, maxmem=128 * 8 * rounds + (1 << 20), dklen=32
    )


def _derived(key: bytes, salt: bytes, what: bytes) -> bytes:
    """Return 32 bytes derived from a key (HKDF with SHA-256, RFC 5869, one block)."""
    return hmac.digest(hmac.digest(salt or bytes(32), key, "sha256"), what + b"\x01", "sha256")


def _mac(key: bytes, head: bytes) -> bytes:
    return hmac.digest(_derived(key, b"", b"header"), head, "sha256")


def _nonce(count: int, is_last: bool) -> bytes:
    return count.to_bytes(11, "big") + bytes([is_last])


def _base64(data: bytes) -> bytes:
    return base64.b64encode(data).rstrip(b"=")


def _bytes(text: bytes) -> bytes:
    return base64.b64decode(text + b"=" * (-len(text) % 4))
