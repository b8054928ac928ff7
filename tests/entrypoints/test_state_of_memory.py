"""What a person sees of the state of their memory, through the command line: what was told and why, and what other designs promised."""

import json

import pytest

from vademecum.entrypoints.cli.cli import commands


@pytest.fixture
def kettle(vade):
    assert vade("init", "Notes")[0] == 0
    vade("save", "fact", "Kettle", "--body", "Descale the kettle monthly with citric acid.")
    return vade


def answer(vade, *words):
    code, out, err = vade(*words, "--json")
    assert (code, err) == (0, "")
    return json.loads(out)


def test_mv49_what_was_told_and_why(kettle):
    """MV-49: what agents were told in a conversation is listed, and each answer tells its scores and what was left out."""
    kettle("bundle", "how do I descale the kettle", "--session", "session://claude-code/s-1")
    for words in (["log", "--shown"], ["log", "--shown", "Kettle"]):
        [session] = answer(kettle, *words)["sessions"]
        assert [one["title"] for one in session["shown"]] == ["Kettle"]
    trace = answer(kettle, "recall", "descale the kettle")["trace"]
    assert trace in json.dumps(answer(kettle, "why", "--recent"))
    assert "Shown: Kettle" in kettle("why", trace)[1]
    assert "arm" in kettle("why", trace, "--scores")[1]
    assert "memories   1 (1 active)" in kettle("status")[1]


def test_sw26_a_profile_is_tried_beside_the_real_one(kettle):
    """SW-26: what another profile would have told is asked with its scores, and the answer is kept for `why`."""
    for profile in ("swarm", "auto"):
        story = answer(kettle, "recall", "descale the kettle", "--profile", profile)
        assert story["trace"] in json.dumps(answer(kettle, "why", "--recent"))
        assert [hit["title"] for hit in story["hits"]] == ["Kettle"]


def test_hw42_a_text_that_changed_is_not_overwritten(kettle):
    """HW-42: a change names the hash of what it was made from; another text in between refuses it, with a code of its own."""
    etag = answer(kettle, "show", "Kettle")["etag"]
    assert kettle("edit", "Kettle", "--body", "Twice a year.", "--etag", etag)[0] == 0
    code, _, err = kettle("edit", "Kettle", "--body", "Never.", "--etag", etag)
    assert (code, "changed since it was read" in err) == (7, True)
    assert kettle("undo")[0] == 0
    assert answer(kettle, "show", "Kettle")["etag"] == etag


def test_hw45_words_in_chinese(kettle):
    """HW-45: words are found without any model, Chinese ones too."""
    kettle("save", "fact", "水壶", "--body", "每月用柠檬酸给水壶除垢。")
    assert "水壶" in kettle("recall", "水壶怎么除垢")[1]


def test_hw40_what_different_tools_know(kettle):
    """HW-40: what was saved through one tool can be listed and asked apart from what came through another."""
    messages = json.dumps([{"role": "user", "content": "From now on always use metric units."}])
    kettle("save-conversation", "chatgpt", "--messages", messages)
    kettle("conversations", "--confirm", answer(kettle, "conversations")["results"][0]["id"])
    assert "Kettle" not in kettle("list", "--interface", "chatgpt", "--status", "active,inbox")[1]
    assert "metric" in kettle("list", "--interface", "chatgpt", "--status", "active,inbox")[1]


@pytest.mark.parametrize("command", ["doctor", "init", "import", "lint", "capture", "reader", "undo", "settings", "sync"])
def test_hw46_commands(command):
    """HW-46: the commands of claude-obsidian 2 are there, by their own names or by the one that does their work."""
    assert command in commands().commands
