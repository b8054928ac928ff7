"""Which project a memory, a conversation and a briefing belong to (X-43): through the doors that people and agents use."""

import json
import os
import shutil
import subprocess
from datetime import timedelta

import pytest

from vademecum.domain.errors import InvalidInput, VademecumError
from vademecum.domain.memory import By
from vademecum.domain.query import Query
from vademecum.domain.saved import SaveOptions
from vademecum.entrypoints.mcp.tools import all_tools
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
    """Writes a conversation of Claude Code, (folder, speaker, words) for each line, and captures all that was written; or not yet."""

    def capture(name, *lines, read=True):
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
        if read:
            memory.maintenance.capture((str(file.parent),))
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


@pytest.mark.parametrize("there", [True, False])
def test_cd(at, captured, person, there):
    """A `cd` into another repository changes the project of the turns that follow, both ways; a folder below changes nothing. In old
    conversations, whose folders are gone, another folder counts as another repository."""
    larder, cellar = person / "larder", person / "cellar"
    if there:
        larder, cellar = repository(larder), repository(cellar)
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
    memory.notes.save("decision", "Tabs", "Indent with tabs.\n", SaveOptions(personal=True), by=by)
    memory.notes.save("identity", "Name", "The person is called Ana.\n", by=by)
    memory.notes.save("decision", "Lids", "Lids are red.\n", project="cellar", by=by)
    assert kept(memory) == {"Jar size": "larder", "Tabs": "", "Name": "", "Lids": "cellar"}
    with pytest.raises(InvalidInput):
        memory.notes.save("decision", "Both", "Of none and one.\n", SaveOptions(personal=True), project="cellar", by=by)


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


def test_renamed(at, captured, person):
    """A project gets another name with its memories, handoffs, conversations and branches; one undo takes all of it back."""
    folder = repository(person / "larder")
    memory = captured("a", *talk(folder, "Always label the jars in amber."))
    memory.sessions.handoff()
    here = at(folder)
    old = here.notes.save("decision", "Old lids", "Lids are green.\n").memory
    here.notes.archive(old.id)
    places = {one.id: (one.path, one.project) for one in here.context.vault.list()}
    done = here.projects.rename("larder", "pantry")
    assert (done.project, done.former, done.joined, done.memories) == ("pantry", "larder", False, len(places))
    assert {one.project for one in here.context.vault.list()} == {"pantry"}
    assert not [one.path for one in here.context.vault.list() if "larder" in one.path.replace("larder-", "")]
    assert [line.project for line in here.sessions.list()] == ["pantry"]
    told = at(folder).recall.briefing().text
    assert "amber" in told and "Where the last session stopped" in told
    assert at(folder).notes.save("decision", "Lid colour", "Lids are red.\n", project="larder").memory.project == "pantry"
    at(folder).notes.undo()
    memory = at(folder)
    memory.notes.undo()
    assert {one.id: (one.path, one.project) for one in memory.context.vault.list()} == places
    assert [line.project for line in memory.sessions.list()] == ["larder"] and "amber" in at(folder).recall.briefing().text


def test_joined(at, captured, person):
    """Two names of one project become one, whichever folder is worked in; a place that is taken is numbered; undo parts them again."""
    ours, fork = (
        repository(person / "larder", "https://example.org/a/larder"),
        repository(person / "fork", "https://example.org/b/jars"),
    )
    captured("a", *talk(ours, "Always label the jars in amber."))
    captured("b", *talk(fork, "Never stack more than three jars."))
    for folder in (ours, fork):
        at(folder).notes.save("decision", "Jar size", f"Jars of {folder.name}.\n")
    memory = at()
    with pytest.raises(InvalidInput):
        memory.projects.rename("jars", "larder")
    assert memory.projects.rename("jars", "larder", join=True).joined
    assert {one.project for one in memory.context.vault.list()} == {"larder"}
    for folder in (ours, fork):
        told = at(folder).recall.briefing().text
        assert "amber" in told and "three jars" in told and "Jars of fork" in told
    at().notes.undo()
    assert sorted(one.project for one in at().context.vault.list()) == ["jars", "jars", "larder", "larder"]
    assert sorted(line.project for line in at().sessions.list()) == ["jars", "larder"]


@pytest.mark.parametrize(("former", "name", "join"), [
    ("nothing", "pantry", False), ("larder", "larder", False), ("larder", "no name", False), ("larder", "cellar", True),
])  # fmt: skip
def test_names_that_cannot_be(at, person, former, name, join):
    """A project that is not there, its own name, no name at all, or nothing to join: refused, and nothing changes."""
    memory = at(repository(person / "larder"))
    memory.notes.save("decision", "Jar size", "Jars hold one litre.\n")
    with pytest.raises(VademecumError):
        memory.projects.rename(former, name, join)
    assert kept(memory) == {"Jar size": "larder"}


def test_listed(at, person):
    """Projects are listed with what they are recognised by, and those that are known by their name alone."""
    at(repository(person / "larder", "https://example.org/ana/larder")).notes.save("decision", "Jar size", "One litre.\n")
    at().notes.save("decision", "Lids", "Lids are red.\n", project="cellar")
    assert [(one.slug, one.remotes) for one in at().projects.all()] == [
        ("cellar", ()),
        ("larder", ("example.org/ana/larder",)),
    ]


def test_name_alone(at, person):
    """A project that was only ever named is that of the first folder of its name, also after it got another name."""
    at().notes.save("decision", "Jar size", "Jars hold one litre.\n", project="larder")
    at().projects.rename("larder", "pantry")
    assert "Jar size" in at(repository(person / "larder")).recall.briefing().text


def test_moved_and_cloned_anew(at, person):
    """A repository that moved to another owner and was cloned anew is asked about, once its old folder is gone; a fork is not."""
    folder = repository(person / "larder", "https://example.org/ana/larder")
    git(person, "clone", str(folder), "new")
    git(person / "new", "remote", "set-url", "origin", "https://example.org/kitchen/stores")
    for one in (folder, person / "new"):
        at(one).notes.save("decision", f"Jars of {one.name}", "One litre.\n")
    assert at().maintenance.projects_alike() == ()
    shutil.rmtree(folder)
    assert [(one.project, one.other) for one in at().maintenance.projects_alike()] == [("larder", "stores")]


@pytest.mark.parametrize("new", ["site-new", "../elsewhere/site", "../elsewhere/other"])
def test_a_plain_folder_is_renamed(at, captured, person, clock, new):
    """A folder without a repository that was renamed, or moved under its name, is asked about; another folder is not."""
    folder = person / "sites" / "site"
    folder.mkdir(parents=True)
    captured("a", *talk(folder, "Always write the amber report on Mondays."))
    assert at().maintenance.projects_alike() == ()
    clock.advance(timedelta(days=1))
    there = (folder.parent / new).resolve()
    there.parent.mkdir(exist_ok=True)
    folder.rename(there)
    captured("b", *talk(there, "Always write the basalt report on Fridays."))
    found = [(one.project, one.other) for one in at().maintenance.projects_alike()]
    assert [pair[0] for pair in found] == ([] if new.endswith("other") else ["site"])
    for former, now in found:
        at().projects.rename(now, former, join=True)
        assert {"amber", "basalt"} <= set(at(there).recall.briefing().text.replace("*", "").split())


def older(home, person, *memories):
    """Memories as a version wrote them that knew projects by their last names: (project, title, session)."""
    for number, (project, title, session) in enumerate(memories):
        name = title.lower().replace(" ", "-")
        file = home / "projects" / project / "preference" / f"{name}.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(
            f"---\nid: 01KJ8R4S{number:02}0000000000000000\ntitle: {title}\nkind: preference\nstatus: active\n"
            f"created: 2026-02-20T09:00:00+00:00\nupdated: 2026-02-20T09:00:00+00:00\nproject: {project}\n"
            + (f"source: session://claude-code/{session}\n" if session else "") + f"---\n{title}.\n"
        )  # fmt: skip


def test_older_vault(at, captured, person, home):
    """A vault in which one name stands for two repositories is sorted by where each conversation was held; what nothing tells of stays
    and is named, dates stay, and one undo takes all of it back for good."""
    ours, theirs, tree = (
        repository(person / "clientA" / "api"),
        repository(person / "clientB" / "api"),
        person / "larder/.worktrees/2",
    )
    at().maintenance.sync()
    older(
        home, person, ("api", "Deploy to amber", "a"), ("api", "Restart amber never", "a"), ("api", "Deploy to basalt", "b"),
        ("api", "Port is 8080", ""), ("worktrees", "Label jars in blue", "c"), ("garden", "Moved by hand", "b"),
    )  # fmt: skip
    at().maintenance.sync()
    before = kept(at())
    for name, folder in (("a", ours), ("b", theirs), ("c", tree)):
        captured(name, *[(folder, "user", "Hello."), (folder, "agent", "Hello.")], read=name == "c")
    after = {
        "Deploy to amber": "api", "Restart amber never": "api", "Deploy to basalt": "clientb-api", "Port is 8080": "api",
        "Label jars in blue": "larder", "Moved by hand": "garden",
    }  # fmt: skip
    memory = at()
    assert kept(memory) == after
    assert {one.updated.date().isoformat() for one in memory.context.vault.list()} == {"2026-02-20"}
    assert "amber" in at(ours).recall.briefing().text and "amber" not in at(theirs).recall.briefing().text
    memory.notes.undo()
    assert kept(at()) == before
    captured("d", *talk(person / "notes", "Always write the report on Mondays."))
    assert before.items() <= kept(at()).items()


def test_one_name_on_two_devices(at, captured, person, home, tmp_path):
    """Two devices that gave one name to two clients' projects at once agree when they meet: the earlier keeps it, and what came of the
    other's conversations gets the other name; the notes stand in one file each, without the sync tool's copy."""
    ours, theirs = repository(person / "clientA" / "api"), repository(person / "clientB" / "api")
    captured("a", *talk(ours, "Always deploy to the host amber, never anywhere else."))
    note = home / "_projects" / "api.md"
    first = note.read_text().replace("since: 2026-03-02T09", "since: 2026-03-02T08")
    note.unlink()
    captured("b", *talk(theirs, "Always deploy to the host basalt, never anywhere else."), read=False)
    desk = {"data_dir": str(tmp_path / "data2"), "cache_dir": str(tmp_path / "cache2"), "device": "desk"}
    at(**desk).maintenance.capture((str(tmp_path / "host" / "b.jsonl"),))
    assert set(kept(at()).values()) == {"api"}
    (home / "_projects" / "api.sync-conflict-20260302-090000-ABCDEFG.md").write_text(first)
    at().maintenance.sync()
    memory = at(**desk)
    memory.maintenance.sync()
    found = kept(memory)
    assert {word: project for word in ("amber", "basalt") for title, project in found.items() if word in title} == {
        "amber": "api", "basalt": "clientb-api",
    }  # fmt: skip
    assert sorted(file.name for file in (home / "_projects").iterdir()) == ["api.md", "clientb-api.md"]
    assert "amber" in at(ours).recall.briefing().text and "amber" not in at(theirs).recall.briefing().text


def test_one_project_on_two_devices(at, person, home):
    """Two devices that record one project at once have one project; nothing that either knew of it is lost."""
    folder = repository(person / "larder", "https://example.org/ana/larder")
    at(folder).notes.save("decision", "Jar size", "Jars hold one litre.\n")
    note = home / "_projects" / "larder.md"
    (home / "_projects" / "larder (copy).md").write_text(
        note.read_text().replace("~/larder", "~/work/jars").replace("T09", "T10")
    )
    clone = repository(person / "clone", "git@example.org:ana/larder.git")
    at(clone).notes.save("decision", "Label ink", "Labels are written in blue ink.\n")
    (project,) = at().context.vault.projects.known()
    assert set(project.folders) == {"~/larder", "~/work/jars", "~/clone"} and set(kept(at()).values()) == {"larder"}
    assert [file.name for file in (home / "_projects").iterdir()] == ["larder.md"]


@pytest.mark.parametrize(
    "text", ["", "---", "---\nproject:\n---\n", "# Notes\n", "---\nproject: [a\nfolders:\n  - ~/larder\n", "\x00\xff"]
)
def test_notes_that_are_none(at, person, home, text):
    """What is no note of a project in that folder says nothing, stays, and stands in no way; it is no memory either."""
    (home / "_projects").mkdir(parents=True)
    (home / "_projects" / "odd.md").write_text(text)
    at(repository(person / "larder")).notes.save("decision", "Jar size", "Jars hold one litre.\n")
    assert kept(at()) == {"Jar size": "larder"} and (home / "_projects" / "odd.md").read_text() == text


def test_note_written_by_hand(at, person, home):
    """A person may write such a note, as Obsidian formats properties, and so tell which folder belongs to which project."""
    (home / "_projects").mkdir(parents=True)
    (home / "_projects" / "pantry.md").write_text(
        "---\nproject: \"pantry\"\nfolders:\n  - ~/larder\n  - '~/jars'\n---\nMine.\n"
    )
    for name in ("larder", "jars"):
        (person / name).mkdir()
        at(person / name).notes.save("decision", f"Rule of {name}", "Jars hold one litre.\n")
    assert set(kept(at()).values()) == {"pantry"}


def test_cd_into_a_stopped_folder(at, captured, person):
    """What is said after a `cd` into a folder where memory is off is kept by nobody; what is said before and after it is."""
    larder, cellar = repository(person / "larder"), repository(person / "cellar")
    (cellar / ".harness").mkdir()
    (cellar / ".harness" / "STOP").touch()
    os.utime(cellar / ".harness" / "STOP", (0, 0))
    memory = captured(
        "walk",
        (larder, "user", "Always label the jars in amber."), (larder, "agent", "Amber labels."),
        (cellar, "user", "Always store the bottles lying down."), (cellar, "agent", "Lying down with bottles."),
        (larder, "user", "Never stack more than three jars."), (larder, "agent", "Three at most."),
    )  # fmt: skip
    assert not [title for title in kept(memory) if "bottles" in title] and len(kept(memory)) == 2
    assert not memory.sessions.search("bottles lying down").hits
    assert [one.slug for one in memory.context.vault.projects.known()] == ["larder"]


def test_agents_tools(at, captured, person):
    """What an agent's tools recall, list and search is of the project it works in, unless it names another one, or "any"."""
    ours, theirs = repository(person / "clientA" / "api"), repository(person / "clientB" / "api")
    captured("a", *talk(ours, "Always deploy to the host amber, never anywhere else."))
    captured("b", *talk(theirs, "Always deploy to the host basalt, never anywhere else."))

    def found(name, project="", **values):
        tool = all_tools()[name]
        given = {one.name: one.default for one in tool.params} | values | {"project": project}
        return json.dumps(tool.do(at(theirs), given, AGENT))

    for name, asked in (("recall_memory", "deploy host"), ("search_history", "deploy host"), ("list_memories", "")):
        query = {"question": asked} if asked else {}
        here, other, everywhere = (found(name, project, **query) for project in ("", "api", "any"))
        assert ("basalt" in here, "amber" in here) == (True, False)
        assert ("basalt" in other, "amber" in other) == (False, True)
        assert "basalt" in everywhere and "amber" in everywhere
