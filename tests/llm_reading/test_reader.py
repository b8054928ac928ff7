"""The person's own agent reads only after they said yes: what would leave is shown first, and it is tried on samples."""

import json
import os
import pty
import subprocess
import sys
from datetime import timedelta

import pytest
from click.testing import CliRunner
from msgspec.structs import replace
from tests.extract.test_llm_extraction import answer, fact
from tests.llm_reading.test_read_sessions import SAID, SETTLED, TEA, given, write  # noqa: F401 - fixtures

from vademecum.adapters.llms.readers import readers, stronger
from vademecum.domain.errors import LLMRefused, LLMUnavailable
from vademecum.domain.extraction import Trial
from vademecum.domain.host import HookEvent
from vademecum.domain.llm import ReaderChoice
from vademecum.domain.memory import By
from vademecum.entrypoints.cli.cli import commands
from vademecum.entrypoints.verbs.llm import preview_text, reader_text
from vademecum.extract.llm_extraction import understood
from vademecum.llm_reading.trial import SAMPLES, asked_of, session_of

#: What a good reader answers to each sample, by a word of it.
GOOD = {
    "ticket": fact("Commit messages in this project start with the ticket, such as INV-12.",
                   "commit messages here start with the ticket", kind="preference"),
    "TimescaleDB": fact("Readings are stored in plain PostgreSQL, one partition a month: the hoster does not offer TimescaleDB.",
                        "take plain postgres, one partition a month", kind="decision"),
    "Kubernetes": fact("The nightly import does not run in Kubernetes: nobody here can look after it.",
                       "no kubernetes, nobody here can look after it", kind="decision"),
}  # fmt: skip


def reads_well(prompt):
    return answer(*(found for word, found in GOOD.items() if word in prompt.text))


@pytest.fixture
def untried(given):  # noqa: F811
    """A memory whose model was neither shown nor tried, and the model."""

    def made(function, **settings):
        memory, llm = given(function=function, **settings)
        memory.context.storage.extractions.note_trial(Trial("scripted"))
        return memory, llm

    return made


def test_nothing_leaves_before_it_was_shown(untried, write, clock):  # noqa: F811
    """X-32: without a look at what would leave, no conversation is read, and whoever runs the queue is told."""
    memory, llm = untried(lambda prompt: answer(TEA))
    memory.maintenance.capture(write(*SAID))
    clock.advance(SETTLED)
    report = memory.llm.run()
    assert (report.reads, llm.asked) == ((), [])
    assert "vade reader show --preview" in report.state.paused
    shown = memory.llm.preview()
    assert "Tea it is for me" in preview_text(shown)
    assert 0 < shown.tokens < 4_000
    memory.llm.run()
    assert llm.asked[-1].text == shown.text


def test_shown_is_what_leaves_without_secrets(untried, write, clock):  # noqa: F811
    """X-21: the preview is word for word what is asked, and holds no secret."""
    memory, llm = untried(reads_well)
    memory.maintenance.capture(write("The key is AKIAIOSFODNN7ABCDEFG for now.", "I will not keep it.", *SAID))
    clock.advance(SETTLED)
    shown = memory.llm.preview().text
    assert "AKIAIOSFODNN7ABCDEFG" not in shown
    memory.llm.run()
    assert shown in [prompt.text for prompt in llm.asked]


def test_nothing_would_leave_of_what_is_excluded(untried, write):  # noqa: F811
    """X-21: the preview of a conversation that was excluded shows nothing of it, and says so."""
    memory, llm = untried(lambda prompt: answer(TEA))
    memory.maintenance.capture(write(*SAID))
    shown = memory.llm.preview()
    memory.sessions.exclude(shown.session)
    again = memory.llm.preview()
    assert (again.session, again.text, again.tokens) == (shown.session, "", 0)
    assert "Nothing of" in preview_text(again)
    assert llm.asked == []


@pytest.mark.parametrize("keeps_to_schema", [True, False])
def test_who_fails_the_samples_only_proposes(untried, write, clock, keeps_to_schema):  # noqa: F811
    """What a reader finds that failed the samples waits, and the person is told why."""
    replies = (
        (lambda prompt: answer(TEA)) if keeps_to_schema else (lambda prompt: answer(TEA) if "Tea" in prompt.text else "no")
    )
    memory, _ = untried(replies)
    memory.maintenance.capture(write(*SAID))
    clock.advance(SETTLED)
    memory.llm.preview()
    report = memory.llm.run()
    assert [one.action for read in report.reads for one in read.saved] == ["inbox"]
    trial = memory.llm.reader().trial
    assert SAMPLES[0].name in trial.fault
    assert "waits in the inbox" in reader_text(memory.llm.reader())


def test_who_passes_the_samples_is_believed(untried, write, clock):  # noqa: F811
    """A reader that answers the samples rightly saves; it is tried once."""
    memory, llm = untried(lambda prompt: answer(TEA) if "Tea" in prompt.text else reads_well(prompt))
    memory.maintenance.capture(write(*SAID))
    clock.advance(SETTLED)
    memory.llm.preview()
    report = memory.llm.run()
    assert memory.llm.reader().trial.fault == ""
    assert [one.action for read in report.reads for one in read.saved] == ["saved"]
    assert len(llm.asked) == len(SAMPLES) + 1
    memory.llm.run()
    assert len(llm.asked) == len(SAMPLES) + 1


def test_logged_out_backs_off_and_catches_up(untried, write, clock):  # noqa: F811
    """X-32: who is logged out is asked once, the person is told, and a day later all that waits is read."""
    state = {"out": True}
    memory, llm = untried(lambda prompt: LLMRefused("Not logged in.", "Log in.") if state["out"] else answer(TEA))
    memory.context.storage.extractions.note_trial(Trial("scripted", clock.now(), clock.now()))
    memory.maintenance.capture(write(*SAID))
    clock.advance(SETTLED)
    memory.llm.run()
    memory.llm.run()
    assert len(llm.asked) == 1
    assert "Not logged in" in started(memory, "s1").notice
    state["out"] = False
    clock.advance(timedelta(days=1, minutes=1))
    assert [one.action for read in memory.llm.run().reads for one in read.saved] == ["saved"]


def test_samples_that_could_not_be_asked_wait_a_day(untried, write, clock):  # noqa: F811
    """X-32: a reader that cannot be had is not asked four questions at each look, but once a day."""
    state = {"there": False}
    memory, llm = untried(lambda prompt: reads_well(prompt) if state["there"] else LLMUnavailable("No answer."))
    memory.maintenance.capture(write(*SAID))
    clock.advance(SETTLED)
    memory.llm.preview()
    for _ in range(5):
        memory.llm.run()
    assert len(llm.asked) == 1
    assert "No answer" in started(memory, "s1").notice
    state["there"] = True
    clock.advance(timedelta(days=1))
    memory.llm.run()
    assert memory.llm.reader().trial.fault == ""


def test_what_was_saved_meanwhile_is_shown(given, write, clock):  # noqa: F811
    """A reader sees what an agent saved while the conversation went on, whatever its words, so that it is not noted twice."""
    memory, llm = given(function=lambda prompt: answer())
    memory.maintenance.capture(write(*SAID))
    memory.notes.save("fact", "Kettle", "The kettle is descaled each month.", by=By("agent", "mcp"))
    clock.advance(SETTLED)
    memory.llm.run()
    assert "The kettle is descaled each month." in llm.asked[-1].text


@pytest.mark.parametrize(("excluded", "asked"), [(("taxes",), 0), (("garden",), 1), ((), 1)])
def test_excluded_project_is_never_read(untried, tmp_path, clock, excluded, asked):
    """Nothing said in a project that the person excluded leaves the machine."""
    memory, llm = untried(reads_well)
    memory.context.storage.extractions.note_trial(Trial("scripted", clock.now(), clock.now()))
    choices = replace(memory.context.choices, llm_exclude=excluded)
    memory.context = replace(memory.context, choices=choices)
    lines = [{"type": "session", "id": "a", "time": "2026-03-01T09:00:00Z", "project": "taxes"}]
    lines += [{"id": str(n), "role": ("user", "assistant")[n % 2], "text": text} for n, text in enumerate(SAID)]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    memory.maintenance.capture((str(tmp_path / "a.jsonl"),))
    clock.advance(SETTLED)
    memory.llm.run()
    assert len(llm.asked) == asked


def started(memory, session):
    event = HookEvent("claude-code", "start", "SessionStart", session, cause="startup")
    return memory.recall.deliver(event)


def test_offer_is_told_once(opened):
    """Where a program could read and nobody decided, one session's line to the person says so, the next one's does not."""
    memory = opened()
    able = (ReaderChoice("claude-cli", "Claude Code", "to Anthropic", None),)
    memory.context = replace(
        memory.context,
        models=replace(memory.context.models, readers=lambda: able),
        choices=replace(memory.context.choices, reader_undecided=True),
    )
    assert "vade reader use claude-cli" in started(memory, "s1").notice
    assert started(memory, "s2").notice == ""


def test_show_offers_the_stronger_model(opened):
    """Who only looks at what could read is told of the stronger model, and what it costs."""
    memory = opened()
    able = readers({"PATH": "", "ANTHROPIC_API_KEY": "key"})
    memory.context = replace(memory.context, models=replace(memory.context.models, all_readers=lambda: able))
    shown = reader_text(memory.llm.reader())
    assert "vade reader use anthropic\n" in shown
    assert f"vade reader use {stronger('anthropic').llm} (about $0.009 a conversation" in shown


def test_news_is_told_once(given, write, clock):  # noqa: F811
    """At the next start the person reads in one line what was kept, and what waits; the one after says nothing of it."""
    csv = fact("The list of offices stands in offices.csv.", "the list of offices stands in offices.csv now", kind="fact")
    memory, _ = given(function=lambda prompt: answer(TEA, csv))
    memory.maintenance.capture(write(*SAID, "Which file?", "In short, the list of offices stands in offices.csv now."))
    clock.advance(SETTLED)
    memory.llm.run()
    line = started(memory, "s1").notice
    assert "saved 1 today: The user takes green tea" in line
    assert "1 waits (vade review); wrong? vade sessions undo a" in line
    assert "saved" not in started(memory, "s2").notice


def test_a_whole_reading_is_taken_back(given, write, clock):  # noqa: F811
    """One word takes back what a reading kept, gives back what gave way to it, and leaves what the person changed since."""
    csv = fact("The list of offices stands in offices.csv.", "I put the list of offices into offices.csv", kind="fact")
    memory, _ = given(function=lambda prompt: answer(TEA, csv))
    other = memory.notes.save("fact", "The cat", "The cat sleeps on the boiler.").memory
    memory.maintenance.capture(write(*SAID, "I put the list of offices into offices.csv.", "Fine."))
    clock.advance(SETTLED)
    memory.llm.run()
    titles = {item.title: item.key for item in memory.notes.list(status=("active", "inbox"))}
    assert len(titles) == 3
    (changed,) = (key for title, key in titles.items() if "offices" in title)
    memory.notes.edit(changed, body="The list of offices stands in lists/offices.csv.")
    done = memory.sessions.undo("a")
    assert len(done.titles) == 1
    assert [title for title, _ in done.stay] == [memory.notes.get(changed).title]
    left = {item.key for item in memory.notes.list(status=("active", "inbox"))}
    assert left == {changed, other.uri}


@pytest.fixture
def typed(tmp_path, monkeypatch):
    """Runs the command line in a home of its own, with a program `claude` on the path that answers as a good reader does."""
    program = tmp_path / "bin" / "claude"
    program.parent.mkdir()
    program.write_text(f"#!{sys.executable}\n{_CLAUDE}", "utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent))
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("CONFIG", "DATA", "CACHE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))
    (tmp_path / "good.json").write_text(json.dumps({word: answer(found) for word, found in GOOD.items()} | {"": answer()}))
    monkeypatch.setenv("GOOD", str(tmp_path / "good.json"))

    def run(*words):
        done = CliRunner().invoke(commands(), words)
        return done.exit_code, done.output

    return run


_CLAUDE = """
import json, os, sys
asked = sys.stdin.read()
good = json.load(open(os.environ["GOOD"]))
value = next(value for word, value in good.items() if word in asked)
print(json.dumps({"structured_output": value, "usage": {"input_tokens": 100, "output_tokens": 10},
                  "total_cost_usd": 0.01}))
"""


def test_use_show_and_off(typed, tmp_path):
    """The person chooses a reader, sees how it did and what it took, keeps a project back, and takes it all back."""
    typed("init", str(tmp_path / "Notes"))
    said = typed("reader", "use", "claude")[1]
    assert "Samples: passed.\n" in said, said
    assert (
        "It asks the model haiku. A stronger model finds more: vade reader use claude-cli:sonnet (about $0.009 a conversation"
        in said
    )
    shown = typed("reader", "show")[1]
    assert "claude-cli: 0 waiting; this week 4 readings, 400 tokens in, 40 out, $0.04" in shown
    assert "Not read: taxes." in typed("reader", "exclude", "taxes")[1]
    assert "never      taxes" in typed("reader", "show")[1]
    assert typed("reader", "include", "taxes")[0] == 0
    assert typed("reader", "include", "taxes")[0] != 0
    assert typed("reader", "use", "nobody")[0] != 0
    typed("reader", "off")
    assert "none; patterns alone" in typed("reader", "show")[1]


@pytest.mark.parametrize(("reply", "chosen"), [("y\n", 'llm = "claude-cli"'), ("n\n", 'llm = "none"')])
def test_init_asks_once(typed, tmp_path, reply, chosen):
    """At a terminal `vade init` asks whether the person's own Claude may read, with what leaves and what it takes; once."""
    assert b"Let your own Claude Code read each ended conversation once" in at_terminal(
        ["init", str(tmp_path / "Notes")], reply
    )
    assert chosen in (tmp_path / "config" / "vademecum" / "config.toml").read_text()
    assert b"Let your own" not in at_terminal(["init", str(tmp_path / "Notes")], reply)


def at_terminal(words, reply):
    """What the command prints with a terminal for its input."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "vademecum", *words], stdin=theirs, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    ) as process:
        os.write(ours, reply.encode())
        return process.communicate(timeout=60)[0]


def by_words(turns, answers):
    """A fact for each (text, quote) whose quote stands in the conversation, as a reader that trusts it would state it."""
    return [fact(text, quote) for text, quote in answers if any(quote in turn for _, turn in turns)]


def passed(found_by):
    """The samples that a reader passes which gives `found_by(sample)` as its memories."""
    for sample in SAMPLES:
        session = session_of(sample)
        if sample.is_right(understood(answer(*found_by(sample)), asked_of(session), session)):
            yield sample.name


def of_good(sample):
    return [found for word, found in GOOD.items() if any(word in text for _, text in sample.turns)]


@pytest.mark.parametrize("lasting", [True, False])
def test_a_good_reader_passes_every_sample(lasting):
    """Also one that takes what was agreed for this work alone."""
    kept = {word: found | {"lasting": lasting} for word, found in GOOD.items()}
    assert len(list(passed(lambda sample: [kept[word] for word in kept if any(word in text for _, text in sample.turns)]))) == 4


WEAK = {
    "saves nothing": lambda sample: [],
    "saves whatever was typed": lambda sample: [
        fact(text, text[:60]) for role, text in sample.turns if role == "user" and "#" not in text
    ],
    "takes offers for decisions": lambda sample: [
        *of_good(sample),
        *by_words(sample.turns, [("Keep seven dumps, send a mail, and move the import to Airflow.", "1 and 3")]),
    ],
    "keeps what was taken back": lambda sample: [
        *of_good(sample),
        *by_words(sample.turns, [("Readings are stored in TimescaleDB.", "let's use TimescaleDB then")]),
    ],
    "keeps tasks of the moment": lambda sample: [
        *of_good(sample),
        *by_words(sample.turns, [("The header is blue.", "make the header blue and commit")]),
    ],
    "turns a refusal round": lambda sample: by_words(
        sample.turns, [("The nightly import runs in Kubernetes.", "no kubernetes, nobody here can look after it")]
    ),
}


@pytest.mark.parametrize("way", WEAK)
def test_a_weak_reader_fails(way):
    """A reader that goes wrong in one of these ways fails at least one sample."""
    assert len(list(passed(WEAK[way]))) < len(SAMPLES)
