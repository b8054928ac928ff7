"""Secrets leave a transcript before it reaches our disk; everything else keeps every byte."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vademecum.domain.guarding import USUAL
from vademecum.guard import Guard

GUARD = Guard(USUAL)


TOKEN = "ghp_" + "a8Kd93kLmQ02xPz7RtYw5VbN1cXe6UfGh4Js"
KEY = "-----BEGIN RSA PRIVATE KEY-----\n" + "MIIEow" + "IBAAKCAQEA7x9Qm3\n" * 12 + "-----END RSA PRIVATE KEY-----"


def line(**fields):
    return json.dumps(fields, ensure_ascii=False).encode() + b"\n"


def test_other_lines_stay():
    """Only the line that holds a secret is written anew."""
    plain = b'{"a":  "spaced  oddly", "b": 1.50}\r\n'
    clean = GUARD.clean_records(plain + line(text=f"use {TOKEN} now") + plain)
    assert TOKEN.encode() not in clean
    assert clean.startswith(plain) and clean.endswith(plain)
    assert json.loads(clean.splitlines()[1])["text"].startswith("use [REDACTED:")


@pytest.mark.parametrize("value", [TOKEN, KEY, f'say "{TOKEN}"\nand go', f"é {TOKEN} 漢字"])
def test_valid_json_stays_valid(value):
    """Escaped, quoted or over several lines: the secret goes and the record is still one."""
    clean = GUARD.clean_records(line(message={"content": [{"type": "text", "text": value}]}, n=1))
    record = json.loads(clean)
    assert "REDACTED" in record["message"]["content"][0]["text"] and record["n"] == 1
    assert "MIIEow" not in clean.decode() and TOKEN not in clean.decode()


def test_key_tells():
    """A value is judged beside its key, as it would be in a file of settings."""
    clean = GUARD.clean_records(line(env={"DB_PASSWORD": "tr0ub4dor&3xKq9"}))
    assert b"tr0ub4dor" not in clean and b"DB_PASSWORD" in clean


def test_two_objects_on_a_line():
    """Two records without a newline between them are both cleaned."""
    clean = GUARD.clean_records(line(a=TOKEN).rstrip() + line(b=f"and {TOKEN}"))
    assert TOKEN.encode() not in clean and clean.count(b"REDACTED") == 2 and clean.endswith(b"\n")


@pytest.mark.parametrize("text", [f"notes\n\n{KEY}\nend\n", f"token: {TOKEN}\r\nnext\r\n", json.dumps({"t": KEY}, indent=2)])
def test_plain_text(text):
    """Markdown, logs and pretty-printed JSON are judged as a whole."""
    clean = GUARD.clean_records(text.encode())
    assert b"MIIEow" not in clean and TOKEN.encode() not in clean and b"REDACTED" in clean


def test_bytes_that_are_no_text():
    """Invalid UTF-8 survives; in a string that held a secret it becomes U+FFFD, and the record can be read."""
    assert GUARD.clean_records(b'{"a": "\xff\xfe"}\n\xff\n') == b'{"a": "\xff\xfe"}\n\xff\n'
    assert json.loads(GUARD.clean_records(b'{"a": "\xff ' + TOKEN.encode() + b'"}\n'))["a"].startswith("\ufffd [REDACTED:")


def test_hidden_characters_stay():
    """The archive is what was written: characters that nobody sees stay, unless they cut a secret in two."""
    assert GUARD.clean_records(line(a="x\u200by")) == line(a="x\u200by")
    assert TOKEN[4:20].encode() not in GUARD.clean_records(line(a=TOKEN[:20] + "\u200b" + TOKEN[20:]))


@given(st.binary(max_size=400))
def test_any_bytes(data):
    """Whatever the bytes, it returns, and what it returns it leaves as it is."""
    clean = GUARD.clean_records(data)
    assert GUARD.clean_records(clean) == clean
