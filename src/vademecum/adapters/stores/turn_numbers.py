"""Names of turns as numbers: a table of millions of them stays small."""

import hashlib


def number(text: str) -> int:
    """64 bits that stand for a text, signed as SQLite has them."""
    digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little", signed=True)
