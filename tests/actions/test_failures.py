"""What failed or was refused in earlier sessions is told at the call that would do it again, and to the person when it repeats."""

from datetime import timedelta

import pytest
from tests.actions.talks import ran, refused, talked

from vademecum.actions.call_rules import KnownRules
from vademecum.actions.failures import failed_calls, failing
from vademecum.actions.ready import ready_lines
from vademecum.domain.call_patterns import call_of, fits, parsed

NO_SUCH = "error: unknown command 'pack'\nUsage: ship [OPTIONS] <COMMAND>"


@pytest.fixture
def capture(memory, tmp_path):
    """Capture one conversation."""

    def capture(name, *calls, **more):
        return memory.maintenance.capture((talked(tmp_path / "talk", name, *calls, **more),))

    return capture


def shown_at(memory, command, project="harbour"):
    """The rules that are told at a command."""
    call = call_of("Bash", {"command": command})
    return [rule for rule in failing(memory.context) if rule.project == project and fits(*parsed(rule.when[0]), call)]


def waiting(memory):
    """The proposals in the inbox."""
    return [one for one in memory.context.vault.list() if one.status == "inbox"]


def test_told_after_one_failure(memory, capture):
    """A command that failed once is told in the next session, with what it said and what worked instead; other commands are silent."""
    capture("one", ran("ship pack --all", NO_SUCH, failed=True), ran("ls"), ran("pack --all docs"))
    [rule] = shown_at(memory, "cd /tmp && ship pack docs")
    assert (rule.level, rule.when, rule.unless) == ("note", ("run: ship pack",), ())
    assert rule.text == (
        "`ship pack` failed in an earlier session, on 2026-02-02: error: unknown command 'pack'. What worked instead: `pack --all docs`."
    )
    assert not shown_at(memory, "ship list") and not shown_at(memory, "pack --all")


def test_pauses_after_two(memory, capture):
    """What failed in two sessions and never worked pauses the call; how often it was tried in one session does not matter."""
    capture("one", *[ran("ship pack", NO_SUCH, failed=True)] * 3)
    assert shown_at(memory, "ship pack")[0].level == "note"
    capture("two", ran("ship pack", NO_SUCH, failed=True), day=1)
    [rule] = shown_at(memory, "ship pack")
    assert rule.level == "pause" and "in 2 earlier sessions, last on 2026-02-03" in rule.text


def test_silent_after_success(memory, capture):
    """What succeeded as often since is told no more, and again once it fails anew."""
    capture("one", ran("ship pack", NO_SUCH, failed=True))
    capture("two", ran("ship pack"), day=1)
    assert not shown_at(memory, "ship pack")
    capture("three", *[ran("ship pack")] * 5, day=2)
    capture("four", ran("ship pack", NO_SUCH, failed=True), day=3)
    [rule] = shown_at(memory, "ship pack")
    assert rule.level == "note"


@pytest.mark.parametrize(
    ("command", "answer", "pattern"),
    [
        ("cd web && tidy -Z page.html | tail -3", "tidy: illegal option -- Z", "run: tidy -Z"),
        ("crane lift", "zsh: command not found: crane", "run: crane"),
        ("crane lift 2>&1 | head", "/bin/sh: 1: crane: not found", "run: crane"),
        ("./moor.sh now", "bash: ./moor.sh: Permission denied", "run: moor.sh"),
        ("yarn run polish", 'error Command "polish" not found.\nerror: Missing script: "polish"', "run: yarn run polish"),
        ("git stsh pop", "git: 'stsh' is not a git command. See 'git --help'.", "run: git stsh"),
        ("python3 -m moorings x", "/usr/bin/python3: No module named moorings", "run: python3 -m moorings"),
        ("gh pr view --colour 12", "unknown flag: --colour", "run: gh pr view --colour"),
        ("cat > x <<'EOF'\n" + "text\n" * 150 + "EOF\nship pack x", NO_SUCH, "run: ship pack"),
        ("sudo dock up -d", "unknown shorthand flag: 'd' in -d", "run: dock up -d"),
    ],
)
def test_about_the_command(memory, capture, command, answer, pattern):
    """Whatever program complains of the command itself: the word that it complains of is what is known again, also behind a pipe."""
    capture("one", ran(command, answer, failed="|" not in command))
    assert pattern in [rule.when[0] for rule in failing(memory.context)]


@pytest.mark.parametrize(
    ("command", "answer"),
    [
        ("pytest -q", "1 failed, 3 passed\nE  ValueError: unknown option 'colour'"),
        ("npm run lint", "error: unexpected 'quay' in line 3"),
        ("grep -rn quay src", ""),
        ("diff a b", "< one\n> two"),
        ("curl -f http://localhost:1", "curl: (7) Failed to connect"),
        ("git commit -m x", "hook: formatting failed"),
        ("cat notes.txt | head", "fatal: this line stands in the file\nerror: unknown command 'pack'"),
        ("python3 tide.py", "Traceback (most recent call last):\nKeyError: 'quay'"),
    ],
)
def test_results_of_work(memory, capture, command, answer):
    """A test, a check, a search or a program that fails over its work is no mistake of whoever called it."""
    capture("one", ran(command, answer, failed=True))
    assert not failing(memory.context)


def test_same_error_twice(memory, capture):
    """An error about something else counts once the same one came in two sessions, whatever numbers and names are in it."""
    capture("one", ran("boat deploy prod", "error: the lock /tmp/a1 is held since 10:01", failed=True))
    assert not failing(memory.context)
    capture("two", ran("boat deploy prod", "error: the lock /tmp/b2 is held since 11:30", failed=True), day=1)
    assert [rule.when for rule in failing(memory.context)] == [("run: boat deploy",)]


def test_option_of_all_subcommands(memory, capture):
    """An option that a program did not take in two sessions is known again at each of its subcommands, unless it takes it there."""
    wrong = "Error: unknown flag: --plain"
    capture("one", ran("ship list --plain", wrong, failed=True))
    assert shown_at(memory, "ship list --plain") and not shown_at(memory, "ship show --plain")
    capture("two", ran("ship list --plain", wrong, failed=True), day=1)
    assert shown_at(memory, "ship show --plain")
    capture("three", ran("ship show --plain"), ran("ship show --plain"), day=2)
    assert not shown_at(memory, "ship show --plain") and shown_at(memory, "ship list --plain")


@pytest.mark.parametrize(
    ("command", "answer", "alike", "fine"),
    [
        (
            "tool api items?x=1",
            "zsh:1: no matches found: items?x=1",
            ["curl -s http://a.example/b?c=d", "cat src/[name]/page.ts"],
            ["curl -s 'http://a.example/b?c=d'", 'rg "what? [a-z]" src', "[ -f a ] && echo $?", "ls *.txt"],
        ),
        (
            'rg "the `tide` table" docs',
            "zsh: command not found: tide",
            ['git commit -m "add `x`"'],
            ["rg 'the `tide` table'", 'rg "the \\`tide"', "echo `date`"],
        ),
        ('echo "ready!now"', "bash: !now: event not found", ['say "go!there"'], ["say 'go!there'", 'say "go!"']),
    ],
)
def test_written_wrongly(memory, capture, command, answer, alike, fine):
    """What a shell takes for something else is known again with any program, and not where it is written well."""
    capture("one", ran(command, answer, failed=True))
    assert all("put the" in shown_at(memory, one)[0].text for one in (command, *alike))
    assert not [one for one in fine if shown_at(memory, one)]


@pytest.mark.parametrize(
    "answer", ['Error: Unsupported state "netquiet"', '[{"type":"text","text":"crane.lift does not support netquiet"}]']
)
def test_argument_of_a_tool(memory, capture, answer):
    """A value that a tool does not know is known again with that tool, also where the host does not call it a failure."""
    given = {"code": "await crane.lift({ until: 'netquiet' })"}
    capture("one", ran("", answer, failed=None, tool="mcp__port__run", given=given))
    [rule] = failing(memory.context)
    call = call_of("mcp__port__run", {"code": "crane.lower('netquiet')"})
    assert fits(*parsed(rule.when[0]), call) and not fits(*parsed(rule.when[0]), call_of("mcp__port__run", {"code": "load"}))


def test_refused_with_words(memory, capture):
    """What the person typed when they refused a command is told as theirs."""
    capture("one", refused("git push --force origin main", "never force, rebase first"))
    [rule] = shown_at(memory, "git push origin main --force")
    assert rule.text == (
        'The person refused `git push --force` in an earlier session, on 2026-02-02. They said: "never force, rebase first"'
    )
    assert not shown_at(memory, "git push origin main")


def test_missing_skill(memory, capture):
    """A skill that does not exist is told by its name."""
    capture(
        "one",
        ran("", "Unknown skill: mooring", failed=True, tool="Skill", given={"skill": "mooring"}),
    )
    [rule] = failing(memory.context)
    assert rule.when == ("skill: mooring",)
    assert fits(*parsed(rule.when[0]), call_of("Skill", {"skill": "mooring"}))


def test_other_projects(memory, capture):
    """What failed in one project is told in no other, and what belongs to no project nowhere."""
    capture("one", ran("ship pack", NO_SUCH, failed=True), cwd="/srv/harbour")
    capture("two", ran("ship load", NO_SUCH.replace("pack", "load"), failed=True), cwd="")
    assert [(rule.project, rule.when[0]) for rule in failing(memory.context)] == [("harbour", "run: ship pack")]


def test_excluded_session(memory, capture):
    """Nothing is taught by a conversation that the person excluded, also afterwards."""
    capture("one", ran("ship pack", NO_SUCH, failed=True))
    memory.sessions.exclude("session://claude-code/one")
    assert not failed_calls(memory.context, None, None)


def test_proposed_once(memory, capture):
    """What failed in a second session is proposed to the person, once, whatever they make of it."""
    capture("one", ran("ship pack", NO_SUCH, failed=True))
    assert not waiting(memory)
    capture("two", ran("ship pack", NO_SUCH, failed=True), ran("pack now"), day=1)
    [proposal] = waiting(memory)
    assert proposal.when == ("run: ship pack",) and proposal.project == "harbour" and proposal.kind == "fix"
    assert "2 sessions" in str(proposal.extra["mining_rationale"])
    memory.inbox.decide(proposal.id, "reject")
    capture("three", ran("ship pack", NO_SUCH, failed=True), day=2)
    memory.context.storage.calls.erase(lambda text: True, ())  # the log is lost, and read anew
    for number, name in enumerate(("one", "two", "three")):
        capture(name, ran("ship pack", NO_SUCH, failed=True), day=number)
    assert not waiting(memory)


def test_ready_for_the_hook(memory, capture):
    """What failures taught stands among the rules that the hook reads, until a memory tells it at the same call."""
    capture("one", ran("ship pack", NO_SUCH, failed=True))
    assert [line for line in ready_lines(memory.context, KnownRules(), ()) if "run: ship pack" in line]
    memory.notes.save("fix", "Packing", "Use crate, it packs.", project="harbour", when=["run: ship pack"])
    [line] = [line for line in ready_lines(memory.context, KnownRules(), ()) if "run: ship pack" in line]
    assert "it packs" in line and '"level": "note"' in line


def test_approved_proposal_pauses(memory, capture):
    """A proposal that the person approved holds the call back as the failures did, until the person sets another level."""
    capture("one", ran("ship pack", NO_SUCH, failed=True))
    capture("two", ran("ship pack", NO_SUCH, failed=True), day=1)
    [proposal] = waiting(memory)
    memory.inbox.decide(proposal.id, "approve")
    [line] = [line for line in ready_lines(memory.context, KnownRules(), ()) if "run: ship pack" in line]
    assert proposal.id in line and '"level": "pause"' in line
    memory.actions.rule(proposal.id, level="note")
    [line] = [line for line in ready_lines(memory.context, KnownRules(), ()) if "run: ship pack" in line]
    assert '"level": "note"' in line


def test_long_ago(memory, capture, clock):
    """What failed half a year ago is told no more: programs change."""
    capture("one", ran("ship pack", NO_SUCH, failed=True))
    clock.advance(timedelta(days=150))
    assert shown_at(memory, "ship pack")
    clock.advance(timedelta(days=30))
    assert not shown_at(memory, "ship pack")
