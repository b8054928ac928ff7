"""The walk by which Memory v2 says that a memory is good, through the doors a person has.

That each tool sees its own alone is walked over MCP, and emptying a memory by typing DELETE on the pages: `mcp/test_mcp_tools.py`
(`test_interfaces_apart`, `test_strict_inbox_and_sources`), `web/test_pages.py` (`test_vo44_many_put_away_at_once`).
"""

import json


def asked(person, *words):
    return json.loads(person(*words, "--json"))


def told(person, question):
    return [hit["title"] for hit in asked(person, "recall", question)["hits"]]


def confirmed(person, title):
    return next(one["confirmations"] for one in asked(person, "list")["results"] if one["title"] == title)


def test_an_update_supersedes(person):
    """An update takes the place of what it names, wherever that lies; the old one stays and says by what."""
    person("save", "fact", "Train", "--body", "The commuter train leaves at 7:04.", "--project", "commute")
    person("save", "fact", "Train now", "--body", "The commuter train leaves at 7:19.", "--supersedes", "Train")
    assert told(person, "when does the commuter train leave") == ["Train now"]
    assert [one["title"] for one in asked(person, "list", "--status", "superseded")["results"]] == ["Train"]
    assert "superseded by" in person("show", "Train")


def test_confirming_counts(person):
    """To say that it still holds counts; being looked at, found or told does not."""
    person("save", "fact", "Gate", "--body", "The garden gate code hangs in the hall.")
    for _ in range(3):
        told(person, "where does the garden gate code hang")
        person("show", "Gate")
    assert confirmed(person, "Gate") == 0
    person("confirm", "Gate")
    person("confirm", "Gate")
    assert confirmed(person, "Gate") == 2


def test_a_conversation_handed_over_three_times(person):
    """A tool that saves its conversation again and again within the window continues one; its last turn is found."""
    said = [
        {"role": "user", "content": "Please plan the allotment."},
        {"role": "assistant", "content": "Potatoes first, and then leeks."},
    ]
    for more in ("Where do the beans go?", "And where does the rhubarb go?"):
        person("save-conversation", "claude-ai", "--messages", json.dumps(said))
        said += [{"role": "user", "content": more}, {"role": "assistant", "content": f"Noted: {more[-20:]}"}]
    person("save-conversation", "claude-ai", "--messages", json.dumps(said))
    (one,) = asked(person, "sessions", "list")["results"]
    found = asked(person, "sessions", "search", "rhubarb")["hits"]
    assert {hit["id"] for hit in found} == {one["session"]}


def test_facts_follow_a_marked_note(vade, tmp_path):
    """What was taken from a note that is a source changes with it (VO-41)."""
    vault, note = tmp_path / "vault", tmp_path / "vault" / "Me.md"
    (vault / ".obsidian").mkdir(parents=True)
    note.write_text("I live in Porto with my partner.\n")
    vade("init", "--vault", str(vault), str(vault / "Vademecum"))
    vade("sync")
    vade("sources", "--add", "Me.md")
    for city in ("Porto", "Braga"):
        note.write_text(f"I live in {city} with my partner.\n")
        vade("sync")
        vade("capture")
        kept = json.loads(vade("list", "--status", "active", "--json")[1])["results"]
        assert [one["title"] for one in kept if one["kind"] != "source"] == [f"I live in {city} with my partner"]
