"""The proof: memory installed into the real programs, real sessions held, and what the model was sent looked at.

Nothing is simulated but the model. Our own command line makes the memory and registers the hooks; the programs run them; the
helper is started by the first of them, as on a person's machine.
"""

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.real.memories import BRIEFED, DATABASE, READING, logs, wait_for
from tests.real.model_api import ModelApi
from tests.real.person import Codex, Gemini, Person, Program, Ran
from vademecum.vault.places import DAILY, HANDOFFS, JOURNAL, PROJECTS, VIEWS_FOLDER

pytestmark = pytest.mark.slow

MATCHING = "Which database does the billing service use?"
OTHER_MATCHING = "When does the reading group meet?"
UNRELATED = "Write a haiku about autumn leaves."

claude_alone = pytest.mark.parametrize("installed", ["claude"], indirect=True)


def counts(api: ModelApi) -> dict[str, int]:
    """How often the last request tells each of the three memories."""
    told = api.last.told
    return {name: told.count(text) for name, text in (("briefed", BRIEFED), ("database", DATABASE), ("reading", READING))}


def test_session_is_briefed_and_told(installed: Program, model_api: ModelApi):
    """X-47: whole sessions: the briefing at the start, the memory that matches at a prompt, no other, and nothing twice.

    The person is shown what was loaded, on a line that the model never sees; Codex shows it in its terminal only.
    """

    def ask(prompt: str, session: str = "") -> Ran:
        ran = installed.ask(prompt, resume=session)
        assert ran.code == 0, ran
        assert "Loaded" not in model_api.last.told
        return ran

    first = ask(UNRELATED)  # no helper yet
    assert counts(model_api) == {"briefed": 1, "database": 0, "reading": 0}, logs(installed.person)

    second = ask(MATCHING, first.session)
    assert counts(model_api) == {"briefed": 1, "database": 1, "reading": 0}, logs(installed.person)
    assert "Loaded 1 memory: Billing database" in second.stdout + second.stderr or isinstance(installed, Codex)

    ask(MATCHING, first.session)  # the same again
    ask("Where does the billing service keep its data, in which database?", first.session)  # about the same
    assert counts(model_api) == {"briefed": 1, "database": 1, "reading": 0}, logs(installed.person)

    ask(OTHER_MATCHING, first.session)
    assert counts(model_api) == {"briefed": 1, "database": 1, "reading": 1}, logs(installed.person)

    ask(MATCHING)  # another session
    assert counts(model_api) == {"briefed": 1, "database": 1, "reading": 0}, logs(installed.person)


def test_x46_two_hosts_run_the_hook(light: Program, model_api: ModelApi):
    """X-46: two hosts run the same hook for the same prompt, and the model is told once."""
    path = light.hooks_file
    registered = json.loads(path.read_text("utf-8"))
    for groups in registered["hooks"].values():
        again = json.loads(json.dumps(groups[0]))
        again["hooks"][0]["command"] = f"env OF=another {again['hooks'][0]['command']}"
        groups.append(again)
    path.write_text(json.dumps(registered), "utf-8")

    session = light.ask(MATCHING).session
    assert counts(model_api) == {"briefed": 1, "database": 1, "reading": 0}, logs(light.person)
    light.ask(OTHER_MATCHING, resume=session)
    assert counts(model_api) == {"briefed": 1, "database": 1, "reading": 1}, logs(light.person)


@claude_alone
def test_told_again_after_compaction(installed: Program, model_api: ModelApi):
    """A conversation that was compacted has lost what it was told, so it is briefed again, and told again when it matters."""
    session = installed.ask(MATCHING).session
    assert installed.ask("/compact", resume=session).code == 0
    installed.ask("Where does the billing service keep its data, in which database?", resume=session)
    assert counts(model_api) == {"briefed": 1, "database": 1, "reading": 0}, logs(installed.person)


def change(path: Path, old: str, new: str) -> None:
    """Replace a text in a file, where it must be."""
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new), "utf-8")


def our(person: Person, kind: str) -> Path:
    """Our folder of a kind: data, config."""
    return person.home / "xdg" / kind / "vademecum"


#: What may be broken -> how it is broken.
BREAKAGES: dict[str, Callable[[Program], object]] = {
    "a renamed host": lambda program: change(program.hooks_file, f" {program.name} ||", " renamed-host ||"),
    "an unknown flag": lambda program: change(
        program.hooks_file, f" {program.name} ||", f" --renamed {program.name} --more ||"
    ),
    "the client is gone": lambda program: (our(program.person, "data") / "hook" / "client.py").unlink(),
    "what the client must know is gone": lambda program: (our(program.person, "data") / "hook" / "hook.conf").unlink(),
    "what the client must know is garbage": lambda program: (our(program.person, "data") / "hook" / "hook.conf").write_bytes(
        b"\xff[="
    ),
    "Python has moved": lambda program: change(program.hooks_file, " -I -S", "-moved -I -S"),
    "the package has moved": lambda program: change(
        our(program.person, "data") / "hook" / "hook.conf", "python=", "python=/nowhere"
    ),
    "the settings are garbage": lambda program: (our(program.person, "config") / "config.toml").write_text("][", "utf-8"),
    "all our data are gone": lambda program: shutil.rmtree(our(program.person, "data")),
    "the index is garbage": lambda program: (our(program.person, "data") / "index.db").write_bytes(b"no database" * 1000),
    "the memory is gone": lambda program: shutil.rmtree(program.person.home / "Memory"),
}


#: What each program itself runs, and sees fail.
RUN_BY_THE_PROGRAM = {"Python has moved", "the client is gone"}


def each_program(ways, of_the_program):
    """Every way with Claude Code and Codex: what depends on the program; the rest, which is broken or switched off on our side, in
    `make soak`: tests/entrypoints/hooks/test_hook_client.py shows that the client ends with 0 then and prints nothing."""
    return [
        pytest.param(
            program,
            way,
            id=f"{program}-{getattr(way, '__name__', way)}",
            marks=() if way in of_the_program else pytest.mark.soak,
        )
        for program in ("claude", "codex")
        for way in ways
    ]


@pytest.mark.parametrize(("light", "breakage"), each_program(BREAKAGES, RUN_BY_THE_PROGRAM), indirect=["light"])
def test_x22_broken_install_lets_prompt_pass(light: Program, model_api: ModelApi, breakage):
    """X-22, X-34: whatever of ours is broken, the prompt reaches the model and nobody is told nonsense."""
    BREAKAGES[breakage](light)
    ran = light.ask(MATCHING)
    assert ran.code == 0, ran
    assert ran.reply == "Understood."
    assert model_api.last.told.count(MATCHING) == 1
    assert "Traceback" not in model_api.last.told


def switch_off(program: Program) -> None:
    program.person.env["VADEMECUM_DISABLED"] = "1"


def stop_file(program: Program) -> None:
    (program.person.home / "Memory" / "STOP").touch()


def uninstall(program: Program) -> None:
    program.person.vade("uninstall", program.name)


@pytest.mark.parametrize(("light", "off"), each_program([switch_off, stop_file, uninstall], {uninstall}), indirect=["light"])
def test_switched_off(light: Program, model_api: ModelApi, off):
    """A variable, a file or `vade uninstall`, and the program works as if we had never been there."""
    off(light)
    assert light.ask(MATCHING).code == 0
    assert counts(model_api) == {"briefed": 0, "database": 0, "reading": 0}, logs(light.person)


RULE = "From now on we always deploy the billing service on Tuesdays, never on Fridays."


#: Folders of a vault whose files are no memories.
NO_MEMORIES = {JOURNAL, HANDOFFS, DAILY, PROJECTS, VIEWS_FOLDER}


def said(person: Person, word: str) -> list[str]:
    """Passages of conversations that a search for a word finds."""
    found = json.loads(person.vade("search", word, "--source", "session", "--limit", "100", "--json"))
    return [hit["passage"]["text"] for hit in found["hits"]]


def remembered(person: Person, word: str) -> list[str]:
    """Names of the memories and proposals that hold a word."""
    memory = person.home / "Memory"
    notes = [path for path in memory.rglob("*.md") if path.relative_to(memory).parts[0] not in NO_MEMORIES]
    return [path.name for path in notes if word in path.read_text("utf-8")]


def own_text_is_not_mined(program: Program, session: str) -> None:
    """Our own text stands in the transcript, is not found as something said, and is remembered once, as before."""
    transcript = program.written(session)
    for word in ("quillwort", "vermilion", "cerulean"):
        assert word in transcript
        assert not [text for text in said(program.person, word) if word in text]
        assert len(remembered(program.person, word)) == 1


def test_x23_own_text_is_not_mined(installed: Program, model_api: ModelApi):
    """X-23, X-17: the helper captures the transcript that the program wrote: what was said is searchable; what we told the agent stands
    in the transcript several times, and is neither searchable as said nor remembered anew.

    A run without a terminal is another program's, where the transcript says so: nothing said in it is remembered.
    """
    person = installed.person
    model_api.answer("I will keep to Tuesdays.", to="Tuesdays")
    session = installed.ask(MATCHING).session
    installed.ask(OTHER_MATCHING, resume=session)
    installed.ask(RULE, resume=session)

    wait_for(person, lambda: any("I will keep to" in text for text in said(person, "Tuesdays")))
    assert any(RULE in text for text in said(person, "Tuesdays"))
    if isinstance(installed, Gemini):  # its transcripts do not tell who runs it
        wait_for(person, lambda: bool(remembered(person, "Tuesdays")))
    else:
        person.vade("capture", "--mine")
        assert not remembered(person, "Tuesdays")
    own_text_is_not_mined(installed, session)

    assert re.match(r"(\d+) of \1 captured", doctor(person, f"host.{installed.name}.sessions"))
    assert doctor(person, f"host.{installed.name}.delivery").startswith("last hook")


def test_x23_person_in_a_terminal_is_heard(light: Program, model_api: ModelApi):
    """X-23, X-17: a person types in a terminal: what they said is searchable and their rule is remembered, and our own text neither is
    searchable as said nor remembered anew. Nothing in the transcript is unknown to us."""
    person = light.person
    told = {MATCHING: "It is a relational one.", OTHER_MATCHING: "In the second week.", RULE: "I will keep to Tuesdays."}
    for prompt, reply in told.items():
        model_api.answer(reply, to=prompt)
    session = light.talk(*told.items())

    wait_for(person, lambda: bool(remembered(person, "Tuesdays")))
    assert any(RULE in text for text in said(person, "Tuesdays"))
    assert any("I will keep to" in text for text in said(person, "Tuesdays"))
    own_text_is_not_mined(light, session)
    sessions = f"host.{light.name}.sessions"
    wait_for(person, lambda: bool(re.match(r"(\d+) of \1 captured", check(person, sessions)["details"])))
    assert doctor(person, sessions)
    doctor(person, "transcripts")


def check(person: Person, name: str) -> dict[str, str]:
    """One line of `vade doctor`, which fails here: nobody has trusted Codex's hooks."""
    checks = json.loads(person.typed("doctor", "--json").stdout)["checks"]
    return next(line for line in checks if line["id"] == name)


def doctor(person: Person, name: str) -> str:
    """What `vade doctor` says of one thing that is as it should be."""
    line = check(person, name)
    assert line["status"] == "ok", line
    return line["details"]
