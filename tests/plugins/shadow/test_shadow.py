"""What another profile would have shown is logged for the questions that were asked (SW-26)."""

import json


def test_sw26_shadow_log(person, tmp_path):
    """SW-26: each question that was asked is compared once, and the comparison is a line of JSON; the answers themselves stay."""
    person("save", "fact", "Kettle", "--body", "Descale the kettle monthly with citric acid.")
    person("recall", "how do I descale the kettle")
    said = person("shadow", "--profile", "swarm")
    assert "1 of 1 answers would be the same with swarm" in said
    [log] = tmp_path.rglob("recall_shadow.jsonl")
    [line] = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    assert (line["question"], line["shown"], line["would_show"]) == ("how do I descale the kettle", ["Kettle"], ["Kettle"])
    assert "No question was asked" in person("shadow", "--profile", "swarm")
    person("recall", "the kettle")
    assert json.loads(person("shadow", "--profile", "swarm", "--json"))["compared"] == 1


def test_sw26_a_profile_is_named(vade, tmp_path):
    """SW-26: without a profile nothing is compared, and the message says how to name one; the setting names it for good."""
    vade("init", str(tmp_path / "notes"))
    code, _, err = vade("shadow")
    assert code != 0
    assert "vade settings set shadow_profile" in err
    vade("settings", "set", "shadow_profile", "swarm")
    assert vade("shadow")[0] == 0
    assert "profile" in vade("shadow", "--profile", "swrm")[2]
