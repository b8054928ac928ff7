"""Command lines in the blocks of pages, and the inline ones of everyday use, run as printed where they can."""

import re
import shlex
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
TALKS = ROOT / "src" / "vademecum" / "demo" / "transcripts"
MEMORY = "SQLite for storage"

#: What stands on a page for something of the reader's -> what is typed here; of one page, under (page, word).
STANDS_FOR = {
    "REF": MEMORY, "NAME": "briefing_tokens", "VALUE": "900", "TITLE": "Tea", "FOLDER": "wiki", "SOME WORDS": "revisit",
    ("privacy", "ID"): "fc9640b0-f7d0-41a4-80f2-ea5bf2f78358",
    ("transcripts", "FILE"): "talk.jsonl", ("sessions", "FILE"): "copy.jsonl", "SESSION": "fc9640b0-f7d0-41a4-80f2-ea5bf2f78358",
}  # fmt: skip
#: Beginnings of lines that are not run here -> why.
NOT_RUN = {
    "vade setup": "asks about this machine; tests/entrypoints/test_setup.py runs it",
    "vade install": "changes files of hosts; tests/adapters/hosts runs it",
    "vade uninstall": "changes files of hosts; tests/entrypoints/test_uninstall_all.py runs it",
    "vade reader use": "depends on the programs of this machine; tests/llm_reading runs it",
    "vade review": "asks at the terminal; tests/entrypoints/test_review_screen.py runs it",
    "vade web": "opens a browser; tests/plugins/pages runs it",
    "vade backup": "asks for a passphrase; tests/plugins/backup runs it",
    "vade bench": "takes sets that are not shipped; tests/bench runs it",
    "vade team": "takes a server; tests/plugins/team runs it",
    "vade share": "takes a server; tests/plugins/team runs it",
    "vade demo": "takes seconds; tests/demo runs it",
    "vade standup": "is of the plugin on that page; tests/test_added_plugins.py runs it",
    "vade settings set standup_lines": "as above",
    "vade jobs run standup": "as above",
    "vade capture standup.jsonl": "as above",
}
#: Pages whose commands between single backquotes run as well.
INLINE = {"everyday", "getting-started", "privacy", "web"}


def printed(page: Path) -> list[str]:
    """The command lines of a page, in order: of its blocks, and the inline ones where these run as well."""
    text = page.read_text(encoding="utf-8")
    blocks = r"^```\w*\n(.*?)^```"
    wanted = blocks + (r"|`(vade [^`\n]+)`" if page.stem in INLINE else "")
    lines = []
    for block in re.finditer(wanted, text, re.MULTILINE | re.DOTALL):
        lines += [line for part in block.groups() if part for line in part.splitlines() if line.startswith("vade ")]
    return [re.sub(r"\s{2,}# .*", "", line) for line in lines]


def runs_here(line: str) -> bool:
    """Whether a line runs without a host, a server or a question at the terminal."""
    return not any(line == start or line.startswith(f"{start} ") for start in NOT_RUN)


PAGES = [page for page in sorted((ROOT / "docs").glob("*.md")) if any(map(runs_here, printed(page)))]


@pytest.fixture
def reader(vade, tmp_path, monkeypatch):
    """Somebody who has a memory with one decision, a project, a conversation, notes of Claude Code and a paper."""
    home = tmp_path / "home"
    memories = home / ".claude" / "projects" / "press" / "memory"
    memories.mkdir(parents=True)
    (memories / "paper.md").write_text(
        "---\nname: Paper\ntype: project\n---\n\nThe press takes paper of 90 grams.\n", encoding="utf-8"
    )
    (tmp_path / "paper.md").write_text("# Queues\n\nA write queue is slow when nobody drains it.\n", encoding="utf-8")
    for talk in sorted(TALKS.glob("*.jsonl"))[:1]:
        (tmp_path / "talk.jsonl").write_bytes(talk.read_bytes())
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    (home / "Notes").mkdir()
    for words in (
        ["init", str(home / "Notes"), "--wiki"],
        ["save", "decision", MEMORY, "--body", "One file, no server; revisit above 50 GB.", "--personal"],
        ["save", "decision", "Server for storage", "--body", "PostgreSQL on its own machine.", "--personal"],
        ["link", MEMORY, "contradicts", "Server for storage"],
        ["save", "fact", "Shelves", "--body", "Jars stand on the left.", "--project", "larder"],
        ["capture", "talk.jsonl"],
    ):
        assert vade(*words)[0] == 0, words
    return home


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_printed_commands(page, reader, vade):
    """Each line that can run here ends with 0, in the order of the page, but for those that would ask at a terminal."""
    failed = {}
    for line in filter(runs_here, printed(page)):
        words = [STANDS_FOR.get((page.stem, word), STANDS_FOR.get(word, word)) for word in shlex.split(line, comments=True)]
        code, out, err = vade(*(str(reader) + word[1:] if word.startswith("~/") else word for word in words[1:]))
        if code and "there is no terminal to ask" not in err:
            failed[line] = f"{code}: {(err or out).strip()[-300:]}"
    assert failed == {}
