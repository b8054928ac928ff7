"""What every transcript format promises. A new format adds its samples to SAMPLES and passes."""

import json
from collections import Counter
from io import BytesIO
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.adapters.transcripts.transcript_samples import SAMPLES, lines, recognise, said_once

from vademecum.adapters.transcripts import formats
from vademecum.adapters.transcripts.plain import Plain
from vademecum.adapters.transcripts.said import OUR_BEGINNINGS
from vademecum.domain.query import PREAMBLE
from vademecum.domain.session import Cursor
from vademecum.ingest.discover import form_of
from vademecum.ingest.reader import head, read, steps_of
from vademecum.ports.transcripts import TranscriptFormat


def name_of(transcript: TranscriptFormat) -> str:
    return type(transcript).__name__


BY_NAME = {name_of(one): one for one in formats()}
#: Formats that are read on by offset, and whose records are JSON.
RECORDED = [one for one in formats() if not one.whole]
CASES = [
    pytest.param(BY_NAME[name], sample, id=f"{name}-{number}")
    for name, made in SAMPLES.items()
    for number, sample in enumerate(made)
]
NEW_LINE = ord("\n")
every_format = pytest.mark.parametrize("transcript", formats(), ids=name_of)
every_recorded = pytest.mark.parametrize("transcript", RECORDED, ids=name_of)
every_sample = pytest.mark.parametrize(("transcript", "data"), CASES)


def whole(transcript: TranscriptFormat, data: bytes):
    return transcript.parse(data[: transcript.complete(data)], Cursor(), "/home/user/t.jsonl")


def grown(transcript: TranscriptFormat, data: bytes, cuts: list[int]):
    """The file as it is read while it grows to each of `cuts` and then to its end."""
    cursor, turns, unknown, broken, replaced = Cursor(), [], Counter(), 0, 0
    for cut in [*cuts, len(data)]:
        for step in steps_of(BytesIO(data[:cut]), transcript, cursor, "/home/user/t.jsonl", chunk_bytes=4096):
            assert not step.restarted or transcript.whole
            if step.restarted:
                turns, unknown, broken, replaced = [], Counter(), 0, 0
            cursor = step.parsed.cursor
            turns += step.parsed.session.turns
            unknown.update(step.parsed.unknown)
            broken += step.parsed.broken
            replaced += step.parsed.replaced
    return turns, cursor, unknown, broken, replaced, step.parsed.session


def assert_same(transcript: TranscriptFormat, data: bytes, cuts: list[int]) -> None:
    expected = whole(transcript, data)
    turns, cursor, unknown, broken, replaced, session = grown(transcript, data, cuts)
    assert turns == list(expected.session.turns)
    assert (cursor.offset, cursor.carry) == (expected.cursor.offset, expected.cursor.carry)
    assert (dict(unknown), broken, replaced) == (dict(expected.unknown), expected.broken, expected.replaced)
    assert (session.id, session.title, session.started, session.ended, session.cwd) == (
        expected.session.id, expected.session.title, expected.session.started, expected.session.ended, expected.session.cwd,
    )  # fmt: skip


@every_sample
def test_every_split(transcript, data):
    """X-10: wherever a file ends when it is read, reading on gives what reading it whole would have given.

    Around the end of each line at every byte, elsewhere at every eleventh; `make soak` takes every byte.
    """
    ends = [place + 1 for place, byte in enumerate(data) if byte == NEW_LINE]
    for cut in sorted(
        {*range(0, len(data), 11), *(end + off for end in ends for off in (-2, -1, 0, 1) if end + off < len(data))}
    ):
        assert_same(transcript, data, [cut])


@pytest.mark.soak
@every_sample
def test_every_byte(transcript, data):
    """X-10: the same at every byte."""
    for cut in range(len(data)):
        assert_same(transcript, data, [cut])


@every_recorded
@settings(deadline=None)
@given(chosen=st.data())
def test_damaged_splits(transcript, chosen):
    """X-10: the same holds for files with broken lines, two objects on a line and bytes that are not UTF-8."""
    pieces = [line for sample in SAMPLES[name_of(transcript)] for line in sample.splitlines(keepends=True)]
    piece = st.one_of(
        st.sampled_from(pieces),
        st.sampled_from(pieces).map(bytes.rstrip),
        st.sampled_from(
            [b"\n", b"{", b"}\n", b"null\n", b"[1]", b'{"type":1}\n', b"\xff\xfe\n", b'{"type":"user","x":"\xe4"}\n', b"\r\n"]
        ),
        st.binary(max_size=20),
    )
    data = b"".join(chosen.draw(st.lists(piece, max_size=8)))
    cuts = sorted(chosen.draw(st.lists(st.integers(0, len(data)), max_size=6)))
    assert_same(transcript, data, cuts)


@every_sample
def test_offsets_rise(transcript, data):
    """A turn names the bytes it was read from, so that the exact words can be found again."""
    turns = whole(transcript, data).session.turns
    assert turns
    assert [turn.start for turn in turns] == sorted(turn.start for turn in turns)
    for turn in turns:
        assert transcript.whole or json.loads(data[turn.start : turn.end].decode("utf-8", "replace"))


@every_sample
def test_refs_unique(transcript, data):
    """A turn can be named, and by that name nothing else is meant, even when its line stands in the file twice."""
    refs = [turn.ref for turn in whole(transcript, data + b"\n" + data).session.turns]
    assert len(refs) == len(set(refs))
    once = [turn.ref for turn in whole(transcript, data).session.turns]
    assert refs[: len(once)] == once


@every_sample
def test_recognised(transcript, data):
    """A format is recognised by what the file holds, whatever it is called."""
    found = recognise(data, "/home/user/cursor-export.txt")
    assert found is not None
    assert found is transcript


@every_format
def test_recognised_early(transcript, tmp_path: Path):
    """A format is recognised when its first record is longer than what is looked at."""
    path = tmp_path / "x"
    path.write_bytes(said_once(name_of(transcript), "x" * 100_000))
    assert form_of(formats(), head(path), path) is transcript


@every_recorded
def test_recognised_growing(transcript):
    """A format is recognised while its last record is still being written."""
    made = SAMPLES[name_of(transcript)][0]
    if made.count(b"\n") > 1 and not made.startswith(b"{\n"):
        assert recognise(b"\n".join(made.split(b"\n")[:5])[:-9], "/x") is transcript


def test_foreign_files():
    """A file of an unknown kind belongs to no format."""
    for text in (
        "",
        "# Notes\n\nfoo",
        '{"a": 1}\n',
        "[1, 2]\n",
        '{"messages": [], "info": 1}\n',
        '{"kind": "user", "data": {}}\n',
        '{"id": "x", "timestamp": "y"}\n',
        "user: hello\n",
        '{"type":"session.start","data":{}}\n',
        '{"role":"user","message":{"content":[]}}\n',
    ):
        assert recognise(text.encode(), "/home/user/x.jsonl") is None


@every_format
def test_empty_file(transcript):
    """An empty transcript is a session without turns."""
    parsed = transcript.parse(b"", Cursor(), "/home/user/abc.jsonl")
    assert parsed.session.turns == ()
    assert parsed.session.id == "abc"
    assert not parsed.unknown
    assert parsed.broken == 0


@every_recorded
def test_broken_lines(transcript):
    """A line that cannot be read is counted and the rest goes on."""
    sample = SAMPLES[name_of(transcript)][0]
    good = whole(transcript, sample)
    bad = whole(transcript, b'{"type": "user", \n' + sample + b"\nnot json\n")
    assert bad.broken == good.broken + 2
    assert [turn.text for turn in bad.session.turns] == [turn.text for turn in good.session.turns]


@every_format
@settings(deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes(transcript, data):
    """No file can stop the reading of others."""
    whole(transcript, data)
    transcript.recognises(data, "/x")


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


@every_recorded
@settings(deadline=None)
@given(chosen=st.data())
def test_any_values(transcript, chosen):
    """A host that changes the meaning of a field does not stop the reading."""
    records = list(transcript.records(SAMPLES[name_of(transcript)][0], 0)) if transcript.name != "plain" else []
    samples = [record.value for record in records] or [json.loads(SAMPLES["Plain"][0].split(b"\n")[0])]
    value = dict(chosen.draw(st.sampled_from(samples)))
    path = chosen.draw(st.sampled_from(sorted(value)))
    if isinstance(value[path], dict) and value[path] and chosen.draw(st.booleans()):
        value[path] = {**value[path], chosen.draw(st.sampled_from(sorted(value[path]))): chosen.draw(json_values)}
    else:
        value[path] = chosen.draw(json_values)
    for turn in whole(transcript, lines(value)).session.turns:
        assert turn.text.strip()
        turn.text.encode("utf-8")
        turn.ref.encode("utf-8")


@every_format
def test_long_line(transcript):
    """A line of 3 MB is a line."""
    (turn,) = whole(transcript, said_once(name_of(transcript), "x" * 3_000_000)).session.turns
    assert (turn.role, len(turn.text)) == ("user", 3_000_000)


@every_format
def test_bad_utf8(transcript):
    """Bytes that are not UTF-8 are replaced and counted, and their neighbours stay."""
    sample = said_once(name_of(transcript), "Fill the larder")
    marked = sample.replace(b"larder", b"lar\xe4der", 1)
    parsed = whole(transcript, marked)
    assert parsed.replaced == 1 or transcript.whole
    assert len(parsed.session.turns) == len(whole(transcript, sample).session.turns)
    assert any("lar�der" in turn.text for turn in parsed.session.turns)


@every_format
def test_lone_surrogates(transcript):
    """X-49: half a character, as a cut emoji leaves it, is replaced before it can break a later write."""
    text = said_once(name_of(transcript), "larder").decode().replace("larder", "larder \\ud83d", 1).encode()
    for turn in whole(transcript, text).session.turns:
        turn.text.encode("utf-8")


def test_deep_nesting(tmp_path: Path):
    """A line nested a hundred thousand deep is broken, not the end of the process."""
    path = tmp_path / "t.jsonl"
    path.write_bytes(b'{"a":' * 100_000 + b"\n" + lines({"role": "user", "text": "still here"}))
    reading = read(path, Plain())
    assert reading.parsed.broken == 1
    assert [turn.text for turn in reading.parsed.session.turns] == ["still here"]


@every_format
def test_x23_our_own_words(transcript):
    """X-23: what we gave to a host, and it wrote down as if the person had said it, is known by how it begins."""
    assert PREAMBLE.startswith(OUR_BEGINNINGS)
    (turn,) = whole(transcript, said_once(name_of(transcript), f"{PREAMBLE}\n\n- the user always uses tabs")).session.turns
    assert turn.role == "injected" or transcript.name == "plain"
