"""Who speaks in each host's transcripts: the person, the agent, a tool, the host's bookkeeping, or we ourselves."""

from pathlib import Path

import pytest
from tests.adapters.transcripts.transcript_samples import (
    FORK,
    codex_meta,
    event,
    item,
    lines,
    recognise,
    rollout,
)

from vademecum.adapters.transcripts import formats
from vademecum.adapters.transcripts.carry import parse_time
from vademecum.domain.session import Cursor, Session
from vademecum.ingest.reader import head, read

BY_NAME = {type(one).__name__: one for one in formats()}


def session(name: str, data: bytes, path: str = "/home/user/t.jsonl") -> Session:
    transcript = BY_NAME[name]
    return transcript.parse(data[: transcript.complete(data)], Cursor(), path).session


def said(name: str, *values, role: str = "user") -> list[str]:
    return [turn.text for turn in session(name, lines(*values)).turns if turn.role == role and not turn.sidechain]


@pytest.mark.parametrize("zero", ["1970-01-01T00:00:00Z", "0001-01-01T00:00:00Z", "0001-01-01T00:00:00+12:00", 0, -1])
def test_no_time(zero):
    """A clock's zero, with which programs write that they know no time, is no time."""
    assert parse_time(zero) is None


@pytest.mark.parametrize(
    "value", [1771581600, 1771581600000, 1771581600 * 10**6, 1771581600 * 10**9, "1771581600", "1771581600000.5"]
)
def test_numbers_are_times(value):
    """A number since 1970 is a time in any of the usual units, also as text."""
    assert parse_time(value).isoformat()[:19] == "2026-02-20T10:00:00"


# Codex


def test_codex_told_twice():
    """Words that both logs tell are heard once, whichever comes first; repeating oneself is heard again."""
    one = [item(1, "user", "go on"), event(1, "user_message", message="go on\n")]
    other = [event(1, "agent_message", message="Done."), item(1, "assistant", "Done.")]
    assert said("Codex", codex_meta(), *one, *one) == ["go on", "go on"]
    assert said("Codex", codex_meta(), *other, *other, role="agent") == ["Done.", "Done."]
    assert said("Codex", codex_meta(), item(1, "user", "alone"), event(2, "user_message", message="too")) == ["alone", "too"]


def test_codex_repeated_header():
    """A resumed session repeats its own header, and goes on."""
    values = [
        codex_meta(FORK),
        event(1, "user_message", message="one"),
        codex_meta(FORK),
        event(2, "user_message", message="two"),
    ]
    assert said("Codex", *values) == ["one", "two"]


def test_codex_bare_folder():
    """Before there was an envelope, the folder stood in what the host told the model."""
    told = [{"type": "input_text", "text": "<environment_context>\n  <cwd>/home/user/larder</cwd>\n</environment_context>"}]
    header = {"id": "x", "timestamp": "2025-08-18T01:16:13Z", "instructions": None}
    assert session("Codex", lines(header, {"type": "message", "role": "user", "content": told})).cwd == "/home/user/larder"


# Others


def test_chatgpt_tree():
    """Branches that were left come last; a tree without root, or with a ring in it, still gives every message once."""
    nodes = {name: {"parent": parent, "message": {"author": {"role": "user"}, "content": {"content_type": "text", "parts": [name]}}}
             for name, parent in (("first", None), ("left", "first"), ("last", "first"))}  # fmt: skip
    tree = {"title": "", "current_node": "last", "mapping": nodes}
    assert said("ChatGpt", tree) == ["first", "last", "left"]
    nodes["first"]["parent"] = "last"
    assert sorted(said("ChatGpt", tree)) == ["first", "last", "left"]


def test_codex_unknown_counted():
    """Kinds that a new version brings are counted, in whichever layer they are new."""
    parsed = BY_NAME["Codex"].parse(
        lines(codex_meta(), rollout("hologram", 1), event(1, "smell"), rollout("response_item", 1, type="taste")),
        Cursor(),
        "/t",
    )
    assert dict(parsed.unknown) == {"hologram": 1, "event_msg/smell": 1, "item/taste": 1}


#: Folder and beginning of the file's name -> (what persons said, what agents said), sub-agents left out. The first were counted
#: by hand in the raw files: the `user_message` events, the `<user_query>`s, the `user` records that are no answers.
REAL = {
    "codex/019ed1e2": (4, 20), "codex/019ed50c": (6, 52), "codex/019ee1c8": (4, 42), "codex/019efedf": (10, 33),
    "copilot-cli/487fbe81": (1, 0), "copilot-cli/832dd140": (1, 0), "copilot-cli/b4257b63": (1, 1),
    "cursor/13e662e2": (5, 51), "gemini-cli/1fdd1af4": (5, 5), "gemini-cli/2026-01-10": (1, 1), "gemini-cli/94feec1f": (1, 2),
    "gemini-cli/cf708092": (1, 2), "opencode/ses_31b2": (0, 0), "opencode/ses_3310": (0, 0), "pi/019dc132": (1, 1),
}  # fmt: skip
TRANSCRIPTS = Path(__file__).parents[4] / "shared" / "data" / "transcripts"


@pytest.mark.skipif(not TRANSCRIPTS.is_dir(), reason="the real transcripts lie beside the repository, not in it")
@pytest.mark.parametrize("name", REAL)
def test_real_files(name):
    """In real files of other hosts, every prompt of a person is found and none is invented, and nothing is left unread."""
    folder, _, start = name.partition("/")
    (path,) = (TRANSCRIPTS / folder).glob(f"{start}*")
    transcript = recognise(head(path), str(path))
    assert transcript is not None
    parsed = read(path, transcript).parsed
    roles = [turn.role for turn in parsed.session.turns if not turn.sidechain]
    assert (roles.count("user"), roles.count("agent")) == REAL[name]
    assert not parsed.unknown
    assert (parsed.broken, parsed.replaced) == (0, 0)
    assert parsed.cursor.offset == path.stat().st_size
    assert folder == "cursor" or parsed.session.id in path.name or path.name.startswith("2026-01-10")
