"""Which project a memory, a conversation and a briefing belong to: through the doors that people and agents use."""

import json
import shutil
import subprocess
from datetime import timedelta

import pytest

from vademecum.domain.errors import InvalidInput
from vademecum.domain.memory import By
from vademecum.domain.query import Query
from vademecum.wiring import open_memory

AGENT = By("agent", "mcp")


def git(folder, *words):
    options = ["-c", "user.name=Ana", "-c", "user.email=ana@example.org", "-c", "init.defaultBranch=main"]
    subprocess.run(["git", *options, *words], cwd=folder, check=True, capture_output=True)


def repository(folder, remote=""):
    """A repository of one commit, unlike any other."""
    if not shutil.which("git"):
        pytest.skip("git is not installed")
    folder.mkdir(parents=True)
    git(folder, "init")
    git(folder, "commit", "--allow-empty", "-m", f"first of {folder}")
    if remote:
        git(folder, "remote", "add", "origin", remote)
    return folder


@pytest.fixture(autouse=True)
def person(tmp_path, monkeypatch):
    """The person's home, so that nothing depends on whose machine this is."""
    (tmp_path / "ana").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "ana"))
    monkeypatch.setenv("USERPROFILE", str(tmp_path / "ana"))
    return tmp_path / "ana"


@pytest.fixture
def at(settings, clock):
    """Opens the memory as it is seen from a folder."""
    opened = []

    def one(folder=None, **more):
        opened.append(open_memory(settings(**more), clock=clock, folder=folder))
        return opened[-1]

    yield one
    for memory in opened:
        memory.close()


@pytest.fixture
def captured(at, tmp_path, clock):
    """Captures a conversation of Claude Code: (folder, speaker, words) for each line."""

    def capture(name, *lines):
        records = []
        for number, (folder, speaker, words) in enumerate(lines):
            role = "assistant" if speaker == "agent" else "user"
            content = [{"type": "text", "text": words}] if role == "assistant" else words
            time = (clock.now() - timedelta(hours=3) + timedelta(minutes=number)).isoformat()
            records.append({
                "type": role, "uuid": f"{name}-{number}", "parentUuid": f"{name}-{number - 1}" if number else None, "sessionId": name,
                "cwd": str(folder), "version": "2.1.300", "userType": "external", "isSidechain": False, "timestamp": time,
                "gitBranch": "main", "message": {"role": role, "content": content},
            })  # fmt: skip
        file = tmp_path / "host" / f"{name}.jsonl"
        file.parent.mkdir(exist_ok=True)
        file.write_text("".join(json.dumps(record) + "\n" for record in records))
        memory = at()
        memory.maintenance.capture((str(file),))
        return memory

    return capture


def talk(folder, rule):
    """A short conversation in which the person states a rule."""
    return [(folder, "user", rule), (folder, "agent", "I will."), (folder, "user", "Thanks."), (folder, "agent", "Done.")]


def kept(memory):
    """Title -> project of all memories."""
    return {one.title: one.project for one in memory.context.vault.list() if one.kind != "handoff"}


def test_one_name_two_clients(at, captured, person):
    """Two clients' repositories of one name are two projects: briefing, prompts and the agents' tools of one know nothing of the other."""
    ours, theirs = repository(person / "clientA" / "api"), repository(person / "clientB" / "api")
    captured("a", *talk(ours, "Always deploy to the host amber, never anywhere else."))
    captured("b", *talk(theirs, "Always deploy to the host basalt, never anywhere else."))
    assert {place.parent.parent.name for place in person.parent.glob("Vault/**/preference/*.md")} == {"api", "clientb-api"}
    for folder, told, other in ((ours, "amber", "basalt"), (theirs, "basalt", "amber")):
        memory = at(folder)
        prompt = memory.recall.bundle(Query("Where do we deploy to?"))
        for text in (memory.recall.briefing().text, prompt.text, memory.recall.inject("helper", "where to deploy").text):
            assert told in text and other not in text


def test_clones_share(at, person):
    """A repository that is cloned twice, over https and ssh and under other names, is one project with one set of rules."""
    first = repository(person / "shop", "https://example.org/ana/shop.git")
    second = repository(person / "elsewhere" / "till", "git@example.org:ana/shop.git")
    at(first).notes.save("decision", "Till opens at eight", "The till opens at eight.\n")
    assert "Till opens at eight" in at(second).recall.briefing().text


def test_plain_folders(at, captured, person):
    """Folders without a repository are projects by their path: two of one name are two, and each keeps its own."""
    one, two = person / "work" / "notes", person / "home" / "notes"
    one.mkdir(parents=True)
    two.mkdir(parents=True)
    captured("a", *talk(one, "Always write the amber report on Mondays."))
    captured("b", *talk(two, "Always write the basalt report on Mondays."))
    assert set(kept(at()).values()) == {"notes", "home-notes"}
    assert "amber" in at(one).recall.briefing().text and "amber" not in at(two).recall.briefing().text


@pytest.mark.parametrize("change", ["renamed", "moved", "remote later", "owner renamed", "remote gone"])
def test_memories_stay(at, person, change):
    """What is known of a repository stays known when its folder, its remote or its owner changes."""
    folder = repository(
        person / "larder", "https://example.org/ana/larder" if change in ("owner renamed", "remote gone") else ""
    )
    at(folder).notes.save("decision", "Jar size", "Jars hold one litre.\n")
    if change in ("renamed", "moved"):
        folder = folder.rename(person / "pantry" if change == "renamed" else person / "clientA-larder")
    elif change == "remote later":
        git(folder, "remote", "add", "origin", "https://example.org/ana/larder")
    elif change == "owner renamed":
        git(folder, "remote", "set-url", "origin", "git@example.org:kitchen/stores.git")
    else:
        git(folder, "remote", "remove", "origin")
    memory = at(folder)
    assert "Jar size" in memory.recall.briefing().text
    memory.notes.save("decision", "Label ink", "Labels are written in blue ink.\n")
    assert set(kept(at()).values()) == {"larder"}


def test_remote_later_then_cloned(at, person):
    """A repository that got its remote later is recognised by it in a clone, once it was worked in since."""
    folder = repository(person / "larder")
    at(folder).notes.save("decision", "Jar size", "Jars hold one litre.\n")
    git(folder, "remote", "add", "origin", "https://example.org/ana/larder")
    at(folder).notes.save("decision", "Label ink", "Labels are written in blue ink.\n")
    other = repository(person / "copy", "git@example.org:ana/larder.git")
    assert "Jar size" in at(other).recall.briefing().text


def test_fork_stays_apart(at, person):
    """A fork shares the first commit and is another project; nothing of the one is told in the other."""
    folder = repository(person / "larder", "https://example.org/ana/larder")
    at(folder).notes.save("decision", "Jar size", "Jars hold one litre.\n")
    git(person, "clone", str(folder), "fork")
    git(person / "fork", "remote", "set-url", "origin", "https://example.org/bob/larder")
    assert "Jar size" not in at(person / "fork").recall.briefing().text
    at(person / "fork").notes.save("decision", "Lids are red", "All lids are red.\n")
    assert kept(at()) == {"Jar size": "larder", "Lids are red": "bob-larder"}


def test_cd(at, captured, person):
    """A `cd` into another repository changes the project of the turns that follow, both ways; a folder below changes nothing."""
    larder, cellar = repository(person / "larder"), repository(person / "cellar")
    (larder / "shelf").mkdir()
    memory = captured(
        "walk",
        (larder, "user", "Always label the jars in amber."), (larder, "agent", "Amber labels."),
        (larder / "shelf", "user", "Always dust the shelf on Fridays."), (larder / "shelf", "agent", "Fridays."),
        (cellar, "user", "Always store the bottles lying down."), (cellar, "agent", "Lying down."),
        (larder, "user", "Never stack more than three jars."), (larder, "agent", "Three at most."),
    )  # fmt: skip
    of = {
        word: project
        for word in ("label", "shelf", "bottles", "stack")
        for title, project in kept(memory).items()
        if word in title
    }
    assert of == {"label": "larder", "shelf": "larder", "bottles": "cellar", "stack": "larder"}
    assert [line.title for line in memory.sessions.list(project="larder")] and memory.sessions.list(project="cellar") == ()


@pytest.mark.parametrize("by", [By(), AGENT])
def test_saved_inside(at, person, by):
    """What is saved inside a project belongs to it through every door, unless whoever saves says otherwise; the person is of no project."""
    folder = repository(person / "larder")
    memory = at(folder)
    memory.notes.save("decision", "Jar size", "Jars hold one litre.\n", by=by)
    memory.notes.save("decision", "Tabs", "Indent with tabs.\n", personal=True, by=by)
    memory.notes.save("identity", "Name", "The person is called Ana.\n", by=by)
    memory.notes.save("decision", "Lids", "Lids are red.\n", project="cellar", by=by)
    assert kept(memory) == {"Jar size": "larder", "Tabs": "", "Name": "", "Lids": "cellar"}
    with pytest.raises(InvalidInput):
        memory.notes.save("decision", "Both", "Of none and one.\n", project="cellar", personal=True, by=by)


def test_saved_elsewhere(at, person):
    """Outside of any project, in the home folder and in a folder where no conversation was held, what is saved is the person's."""
    (person / "downloads").mkdir()
    at(person).notes.save("decision", "Tabs", "Indent with tabs.\n")
    at(person / "downloads").notes.save("decision", "Lids", "Lids are red.\n")
    assert kept(at()) == {"Tabs": "", "Lids": ""}
    assert not list(person.parent.glob("Vault/**/_projects/*"))


def test_named_project_is_the_folders(at, person):
    """A project that is named by the name of the folder's repository is that repository from then on (renamed: still)."""
    folder = repository(person / "larder")
    at(folder).notes.save("decision", "Jar size", "Jars hold one litre.\n", project="larder")
    assert "Jar size" in at(folder.rename(person / "pantry")).recall.briefing().text


def test_worktree_gone(at, captured, person):
    """Old conversations of worktrees that are gone belong to the repository they were made from, there or gone itself."""
    captured("a", *talk(person / "code" / "larder" / ".worktrees" / "2", "Always label the jars in amber."))
    captured("b", *talk(person / "code" / "larder" / ".claude" / "worktrees" / "lids", "Never stack more than three jars."))
    memory = captured("c", *talk(person / "code" / "larder", "Always dust the shelf on Fridays."))
    assert set(kept(memory).values()) == {"larder"}


def test_worktree_gone_later(at, captured, person):
    """A worktree beside its repository that was worked in and is gone is still known."""
    folder = repository(person / "larder")
    git(folder, "worktree", "add", str(person / "lids"))
    captured("a", *talk(person / "lids", "Always label the jars in amber."))
    git(folder, "worktree", "remove", str(person / "lids"))
    memory = captured("b", *talk(person / "lids", "Never stack more than three jars."))
    assert set(kept(memory).values()) == {"larder"}


def test_another_device(at, person, tmp_path):
    """A second device, with a data folder and an index of its own, recognises the projects by what the vault records."""
    folder = repository(person / "larder", "https://example.org/ana/larder")
    at(folder).notes.save("decision", "Jar size", "Jars hold one litre.\n")
    clone = repository(person / "other" / "pots", "git@example.org:ana/larder.git")
    other = at(clone, data_dir=str(tmp_path / "data2"), cache_dir=str(tmp_path / "cache2"), device="desk")
    other.maintenance.sync()
    assert "Jar size" in other.recall.briefing().text


def test_undo_passes_over(at, captured, person):
    """Recording a project is no change that "undo" means: it takes back what the person saved before."""
    at(person).notes.save("fact", "Tabs", "Indent with tabs.\n")
    captured("a", *talk(repository(person / "larder"), "Hello there."))
    memory = at()
    memory.notes.undo()
    assert kept(memory) == {} and list(person.parent.glob("Vault/**/_projects/larder.md"))
