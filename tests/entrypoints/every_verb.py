"""A memory in which every verb finds something to do, and what is typed for each."""

import json

from vademecum.entrypoints.cli import cli
from vademecum.entrypoints.verbs import VERBS
from vademecum.entrypoints.verbs.verb import FLAG, REQUIRED, Verb, with_flags

#: What a member of a team does with a server: tests/team types these.
WITH_A_SERVER = {"share", "unshare"} | {
    f"team {what}" for what in ("join", "leave", "members", "invite", "revoke", "invite --rotate", "audit", "search", "export")
}
#: Stands for the id of the conversation that waits for the person.
WAITING = "WAITING"
#: Arguments by position with which each verb that needs some works on the memory `Kettle`.
MESSAGES = '[{"role": "user", "text": "Build the shop."}]'
SAID = [("user", "Please plan the garden."), ("agent", "Potatoes."), ("user", "And beans."), ("agent", "Beans behind them.")]
GIVEN = {
    "import": ["Notes"], "import --seed": ["Notes"], "export": ["out"], "lint": ["--check", "stale-view"],
    "event": ["session_start"], "tag": ["Kettle", "--add", "kitchen"], "require": ["fact", "Kettle"], "ingest": ["t.jsonl"],
    "observe": ["Reads", "mail", "at", "noon."], "style add": ["email", "Be formal."], "style remove": ["Manner"],
    "skills index": ["."], "project show": ["shop"], "project edit": ["shop", "--body", "Pumps."],
    "project rename": ["shop", "store"], "briefing --inject": ["kettle", "--agent", "scout"],
    "style update": ["Manner", "--importance", "0.9"], "soul --update": ["--category", "value", "--text", "I am patient."],
    "idea add": ["Boat"], "idea research": ["Sloop"], "idea promote": ["Sloop"],
    "reader queue --drop": ["t"],
    "sql": ["SELECT text FROM facts"], "settle": ["Lid"], "settle --open": [],
    "forget": ["Kettle", "--dry-run"], "rule": ["Kettle", "--when", "run: kettle --dry"],
    "save": ["fact", "Bicycle"], "evolve": ["Kettle", "better", "--body", "New."], "supersede": ["Kettle", "Teapot"],
    "link": ["Kettle", "related", "Teapot"], "recall": ["descale", "kettle"], "search": ["kettle"], "bundle": ["kettle"],
    "edit": ["Kettle", "--body", "Changed."], "move": ["Kettle", "--kind", "lesson"], "capture": [], "process": [],
    "save-conversation": ["claude-ai", "--messages", '[{"role": "user", "content": "Hello."}]'],
    "save-conversation --close": ["--conversation-id", WAITING],
    "conversations --confirm": [WAITING], "mark": [], "review": ["Teapot", "approve"],
    "review-all": ["reject"],
    "sessions exclude": [], "sessions exclude --undo": ["t"], "sessions undo": ["t"],
    "sessions show": ["t"], "sessions search": ["kettle"], "sessions export": ["t"], "sessions restore": ["t", "--to", "b.jsonl"],
    "handoff --working-set": ["t"], "handoff": ["t"], "checkpoint": ["dev", "--messages", MESSAGES],
    "checkpoint --recover": ["dev"], "checkpoint --close": ["dev"],
    "checkpoint --sync": ["--folder", "."], "cleanup": ["."], "shadow": ["--profile", "swarm"],
    "jobs undo": ["read"], "sources --add": ["Other.md"], "sources --remove": ["Note.md"],
}  # fmt: skip


def words_for(verb: Verb, waiting: str) -> list[str]:
    """What is typed: the verb, its arguments, and that the answer shall be JSON."""
    own = verb.by_flag[""].params if verb.by_flag else verb.params
    needed = ["Kettle"] if any(param.default is REQUIRED and param.name == "ref" for param in own) else []
    given = GIVEN.get(verb.name, needed)
    return [*verb.name.split(), *(waiting if word == WAITING else word for word in given), "--json"]


def over_http(verb: Verb, values: dict) -> tuple[str, dict]:
    """The path and the body with which a program has it done."""
    name, _, flag = verb.name.partition(FLAG)
    return f"/v1/{name.replace(' ', '-')}", values | ({flag.replace("-", "_"): True} if flag else {})


def make(folder) -> None:
    """Fill the memory through the command line, in `folder`, where the process stands."""
    (folder / "Notes" / ".obsidian").mkdir(parents=True)
    for name in ("Note", "Other"):
        (folder / "Notes" / f"{name}.md").write_text("We decided to use Helix.\n")
    said = ["--messages", '[{"role": "user", "content": "The kettle hums."}]', "--json"]
    turns = [json.dumps({"role": role, "text": text}) for role, text in SAID]
    (folder / "t.jsonl").write_text("".join(f"{turn}\n" for turn in turns))
    marked = "---\nmemory-source: true\n---\nWe decided to use Kakoune for the ledger.\n"
    (folder / "Notes" / "Marked.md").write_text(marked)
    for words in (
        ["init", "Notes", "--wiki"],
        ["save", "fact", "Kettle", "--body", "Descale the kettle."],
        ["save", "fact", "Teapot", "--body", "Rinse the teapot."],
        ["idea", "Sloop"],
        ["project", "edit", "shop", "--body", "Pumps for canals."],
        ["save", "style", "Manner", "--body", "Be brief."],
        ["save", "fact", "Lid", "--body", "The lid is kept in the red box."],
        ["save", "fact", "The lid", "--body", "The lid is kept in the blue box."],
        ["recall", "kettle"],
        ["edit", "Teapot", "--set", "status=inbox"],
        ["sources", "--add", "Note.md"],
        ["jobs", "run", "follow", "read"],
        ["save-conversation", "claude-ai", *said],
        ["save-conversation", "chatgpt", *said],
        ["capture", "t.jsonl"],
        ["checkpoint", "dev", "--messages", MESSAGES],
        ["sync", "--views"],
    ):
        assert cli.run(words) == 0, words


#: Verbs, and flags of them that do something else.
EVERY = tuple(with_flags(VERBS))
#: Verbs that write and reach nothing outside of the memory.
WRITING = [verb for verb in EVERY if verb.writes and verb.name not in {"idea research", "jobs run", *WITH_A_SERVER}]
