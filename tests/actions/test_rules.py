"""Which memories are told at which tool calls, by what they say and by what was set."""

import pytest

from vademecum.actions.call_rules import KnownRules
from vademecum.actions.own_words import patterns_in
from vademecum.actions.ready import ready_lines
from vademecum.domain.errors import InvalidInput, NeedsPerson
from vademecum.domain.memory import By
from vademecum.entrypoints.verbs.actions import rules_text

AGENT = By("agent", "mcp")

SAYS = [
    ("preference", "Never git push --force to main.", ("run: git push --force",)),
    ("preference", "Use pnpm, not npm install.", ("run: npm install",)),
    ("preference", "Use `pnpm install` instead of `npm install`.", ("run: npm install",)),
    ("preference", "Never commit without running `make check`.", ()),
    ("preference", "Don't edit CONTRIBUTING.md or docs/api.md.", ("edit: CONTRIBUTING.md", "edit: docs/api.md")),
    ("preference", "Never use `any` in TypeScript.", ()),
    ("preference", "Always run `make check` before you push.", ()),
    ("lesson", "`rtk bun` does not exist; use `bun`.", ("run: rtk bun",)),
    ("lesson", "git stash breaks the hooks of worktrees.", ("run: git stash",)),
    ("fact", "git stash breaks the hooks of worktrees.", ()),
    ("preference", "Niemals `git commit --amend` benutzen.", ("run: git commit --amend",)),
    ("preference", "Nunca uses `npm publish` a mano.", ("run: npm publish",)),
    ("preference", "N'utilise jamais `git rebase -i` ici.", ("run: git rebase -i",)),
    ("preference", "Nunca use `docker compose down` aqui.", ("run: docker compose down",)),
    ("preference", "Do not touch the `.env` file of example.com.", ("edit: .env",)),
    ("decision", "The app runs on node 20.", ()),
    ("preference", "Never use sudo here.", ("run: sudo",)),
    ("preference", "Use pnpm, not npm.", ("run: npm",)),
    ("preference", "Never git push on Fridays.", ("run: git push",)),
    ("preference", "Never docker-compose down here.", ("run: docker-compose down",)),
    ("preference", "Do not use git in the examples.", ()),
    ("preference", "Don't forget to start pytest.", ()),
    ("preference", "Don't use node 18.", ()),
    ("preference", "Nie sudo benutzen.", ("run: sudo",)),
    ("preference", "No uses sudo aquí.", ("run: sudo",)),
    ("preference", "N'utilise plus npm ici.", ("run: npm",)),
    ("preference", "Não use sudo aqui.", ("run: sudo",)),
]


@pytest.mark.parametrize(("kind", "text", "patterns"), SAYS)
def test_own_words(kind, text, patterns):
    """Without a model only commands and files that a rule forbids, or says that they fail, are calls that it is told at."""
    assert patterns_in(kind, text) == patterns


def test_levels(memory):
    """What the person forbids holds the call back once; what was learnt, or what an agent says, is noted."""
    memory.notes.save("preference", "Never git push --force to main.")
    memory.notes.save("preference", "No emojis in README.md.")
    memory.notes.save("lesson", "rtk bun", "`rtk bun` does not exist.", by=AGENT)
    memory.notes.save("fact", "The app runs on node 20.")
    assert [(rule.title, rule.level, rule.own_words) for rule in memory.actions.rules()] == [
        ("Never git push --force to main.", "pause", True),
        ("No emojis in README.md.", "note", True),
        ("rtk bun", "note", True),
    ]
    assert [rule.title for rule in memory.actions.rules(at="cd x && git push --force")] == ["Never git push --force to main."]
    assert [rule.title for rule in memory.actions.rules(at="edit: docs/README.md")] == ["No emojis in README.md."]
    assert "stops the first such call" in rules_text(memory.actions.rules())


def test_set_by_the_person(memory):
    """Patterns, exceptions and the level are set, shown in the note, taken back by a reset, and undone."""
    saved = memory.notes.save("decision", "Migrations", "Migrations are written by hand.").memory
    with pytest.raises(InvalidInput, match="names no tool call"):
        memory.actions.rule(saved.id)
    with pytest.raises(InvalidInput, match="is no pattern"):
        memory.actions.rule(saved.id, when=("alembic",))
    rule = memory.actions.rule(saved.id, "barrier", ("run: alembic revision --autogenerate", "edit: migrations/"), ("--sql",))
    assert (rule.level, rule.own_words, rule.unless) == ("barrier", False, ("--sql",))
    assert memory.actions.rules(at="alembic revision --autogenerate --sql") == ()
    assert len(memory.actions.rules(at="alembic revision --autogenerate")) == 1
    memory.notes.undo(saved.id)
    with pytest.raises(InvalidInput, match="names no tool call"):
        memory.actions.rule(saved.id)


def test_only_the_person_stops_calls(memory):
    """An agent says at which calls its own lesson is told, never that one is held back or refused, and leaves the person's rules alone."""
    own = memory.notes.save("lesson", "Tabs", "Edits fail on tabs in Makefiles.", by=AGENT).memory
    assert memory.actions.rule(own.id, when=("edit: Makefile",), by=AGENT).level == "note"
    theirs = memory.notes.save("preference", "Never git push --force to main.").memory
    for level, ref in (("pause", own.id), ("barrier", own.id), ("note", theirs.id)):
        with pytest.raises(NeedsPerson):
            memory.actions.rule(ref, level, by=AGENT)
    with pytest.raises(NeedsPerson):
        memory.actions.rule(theirs.id, when=("run: ls",), by=AGENT)
    assert memory.actions.rules(at="git push --force")[0].level == "pause"


@pytest.mark.parametrize("tag", ["visibility/pii", "visibility/internal"])
def test_withheld_is_told_at_no_call(memory, tag):
    """What agents are not told is shown at no call either, nor what waits, gave way or was put away."""
    memory.notes.save("preference", "Never git push --force.", tags=(tag,))
    gone = memory.notes.save("preference", "Never `npm publish`.").memory
    memory.notes.archive(gone.id)
    assert not [line for line in ready_lines(memory.context, KnownRules(), ()) if line.startswith("rule")]


def test_the_file_for_the_client(memory):
    """Each rule is one line, behind the texts that stand in its calls; folders of projects stand before them; a pause empties it."""
    memory.notes.save("lesson", "rtk", "`rtk bun` does not exist.", project="shop")
    lines = ready_lines(memory.context, KnownRules(), ())
    assert [line.split("\t")[0] for line in lines] == ["rule rtk"]
    memory.context.storage.pauses.begin(memory.now())
    assert ready_lines(memory.context, KnownRules(), ()) == ()


def test_a_file_is_read_again_only_when_it_changed(memory):
    """The rules follow what is saved, set, edited by hand and put away; of an unchanged memory the file is not read again."""
    known, saved = KnownRules(), memory.notes.save("preference", "Never git push --force to main.").memory
    memory.notes.save("lesson", "rtk", "`rtk bun` does not exist.")
    assert len(known.changed(memory.context)) == 2 and len(known.all(memory.context)) == 2
    assert known.changed(memory.context) == []
    memory.actions.rule(saved.id, "barrier")
    assert [item.key for item in known.changed(memory.context)] == [saved.uri]
    assert {rule.id: rule.level for rule in known.all(memory.context)}[saved.uri] == "barrier"
    memory.notes.archive(saved.id)
    assert [rule.level for rule in known.all(memory.context)] == ["note"]
