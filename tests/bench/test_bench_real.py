"""Real sessions are measured right: on invented ones, of which it is known what should come out."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from msgspec.structs import replace

import vademecum_bench
from vademecum.domain.errors import InvalidInput
from vademecum.domain.llm import Prompt
from vademecum.domain.session import Session, Turn
from vademecum.llm_reading.trial import SAMPLES
from vademecum_bench.commands import bench
from vademecum_bench.real import bench_lives, bench_real, bench_story, lives, story
from vademecum_bench.real.handoffs import judge_handoff
from vademecum_bench.real.labels import Allowed, Expected, HandedOver, Label, Tempting, with_refs_of
from vademecum_bench.real.oracle import oracle_answer
from vademecum_bench.real.recording import place_of
from vademecum_bench.real.replay import SAID, read_recording
from vademecum_bench.real.ruler import match, near, paired, target_expected, words_of
from vademecum_bench.real.verdicts import VIEWS, Kept, figures, judge, judged_all

STATEMENT = "The harbour crane is painted yellow because gulls avoid that colour."
EXPECTED = Expected("e1", "decision", STATEMENT, quotes=("we paint the harbour crane yellow, gulls avoid it",), turns=("t1",))
TALK = [
    ("user", "Which colour shall the crane at the harbour get? We have grey and yellow paint left in the shed."),
    ("assistant", "Grey hides rust, yellow is seen from far."),
    ("user", "We paint the harbour crane yellow, gulls avoid it. And the fence stays as it is for now."),
    ("assistant", "The crane is painted yellow. The ladder still has to be oiled."),
]


def quiet(what, done, total):
    """Nobody looks on."""


def kept(text, turn="t1", kind="decision", **more):
    return Kept(more.pop("id", text[:9]), kind, text, more.pop("status", "active"), frozenset({turn}), **more)


def label(path="a.jsonl", expect=(EXPECTED,), **more):
    return Label(path, "somebody", "2026-02-03T08:00:00+00:00", expect=tuple(expect), **more)


def test_turns_named_by_their_place():
    """A label that names a turn by its first byte means the turn that begins there, whatever we call it; other names stay."""
    turns = (Turn("t-5c", "user", "Paint it yellow.", start=0), Turn("t-9d", "agent", "Done.", start=120))
    named = label(expect=(replace(EXPECTED, turns=("@120", "t1")),), pasted=frozenset({"@0"}))
    found = with_refs_of(named, Session("codex", "a", "/a.jsonl", turns))
    assert (found.expect[0].turns, found.pasted) == (("t-9d", "t1"), frozenset({"t-5c"}))


def test_words():
    """Stems, without function words and apostrophes; pairs of characters where there are no spaces."""
    assert words_of("The cranes don't use painted glass") == {"cran", "use", "paint", "glass"}
    assert words_of("Painting") == words_of("paints") == words_of("painted")
    assert words_of("港口起重机") == {"港口", "口起", "起重", "重机"}
    assert words_of("7 x") == {"7"}


@pytest.mark.parametrize(
    ("text", "is_near"),
    [
        (STATEMENT, True),
        ("Yellow paint, since gulls avoid it: the harbour crane", True),
        ("The crane", False),  # two words are too few
        ("The harbour master paints his boat each spring near the northern pier", False),
    ],
)
def test_near(text, is_near):
    assert near(words_of(text), words_of(STATEMENT)) is is_near


def test_match():
    """From the expected turn 60 % are enough, from elsewhere the statement's words must stand there; a dump matches nothing."""
    target = target_expected(EXPECTED)
    loose = words_of("We paint the harbour crane yellow next week after lunch, perhaps")
    assert match(words_of(STATEMENT), {"t1"}, target) == 1
    assert match(words_of("harbour crane yellow"), {"t1"}, target) == 1
    assert match(words_of("harbour crane yellow"), {"t9"}, target) == 0
    assert 0.6 <= match(words_of(STATEMENT), {"t9"}, target) < 1
    assert match(loose, {"t1"}, target) > 0 == match(loose, {"t9"}, target)
    dump = " ".join(f"{STATEMENT} word{number}{number}" for number in range(99))
    assert match(words_of(dump), {"t1"}, target) == 0


def test_paired():
    """As many pairs as can be made, even when the best row has to take its second best."""
    assert paired([{0: 0.9, 1: 0.8}, {0: 0.7, 1: 0}]) == {0: 1, 1: 0}
    assert paired([{0: 0.7}, {0: 0.9}]) == {1: 0}


def test_verdicts():
    """Right once, then double; allowed; junk, foreseen and pasted or not."""
    told = label(
        allow=(Allowed(("the ladder leans against the northern wall",)),),
        pasted=frozenset({"t2"}),
        tempting=(Tempting("the fence stays as it is today"),),
    )
    judged = judge(told, [
        kept(STATEMENT), kept("We paint the harbour crane yellow, gulls avoid it", kind="fact"),
        kept("The ladder leans against the northern wall."), kept("The fence stays as it is today.", "t2"), kept("Lunch is at noon."),
    ])  # fmt: skip
    assert [one.verdict for one in judged] == ["right", "double", "allowed", "junk", "junk"]
    assert (judged[0].which, judged[0].kind_right, judged[0].alone) == ("e1", True, True)
    assert [(one.tempted, one.pasted) for one in judged[3:]] == [(True, True), (False, False)]


@pytest.mark.parametrize(
    "named", [{"repeats": {"path": "a.jsonl", "id": EXPECTED.id}}, {"same_as": (f"a.jsonl#{EXPECTED.id}",)}, {}]
)
def test_found_before(named):
    """What an earlier session told already is found if it was saved there: in one memory it exists once."""
    rows = [label(), label("b.jsonl", expect=(replace(EXPECTED, **named),))]
    judged = judged_all(rows, {"a.jsonl": [kept(EXPECTED.statement)], "b.jsonl": []}, {"active"})
    assert figures(judged)["found"]["all"] == (2 if named else 1)


def test_figures():
    """What waits is judged apart; a silent session is broken by junk; an update of a right one is no wrong replacement."""
    old = Expected("e1", "fact", "The harbour gate closes at nine in winter.", turns=("t1",), explicit=True)
    new = Expected("e2", "fact", "The harbour gate closes at ten in winter.", turns=("t1",), replaces=("a.jsonl#e1",))
    rows = [label("a.jsonl", [old]), label("b.jsonl", [new, EXPECTED]), label("c.jsonl", [])]
    memories = {
        "a.jsonl": [kept(old.statement, id="1", kind="fact", lasting=False)],
        "b.jsonl": [kept(new.statement, id="2", kind="lesson", replaced=("1",)), kept(STATEMENT, id="3", status="inbox")],
        "c.jsonl": [kept("Lunch is at noon.", id="4", replaced=("2",)), kept(STATEMENT, id="3", again=True)],
    }
    found = {name: figures(judged_all(rows, memories, statuses)) for name, statuses in VIEWS.items()}
    active = found["active"]
    assert [active[name] for name in ("right", "double", "junk", "precision")] == [2, 0, 1, 0.6667]
    assert (active["recall_explicit"], active["recall_contextual"], active["right_kind"]) == (1, 0.5, 0.5)
    assert (active["silent_sessions"], active["silent_broken"], active["junk_in_silent"]) == (1, 1, 1)
    assert (active["replaced"], active["wrongly_replaced"], active["updates_posed"], active["updates_done"]) == (2, 1, 1, 1)
    assert (found["waiting"]["right"], found["waiting"]["junk"], found["waiting"]["recall_all"]) == (1, 0, 0.3333)
    assert found["active and waiting"]["recall_all"] == 1


HANDED_OVER = HandedOver("Choose the colour of the harbour crane", ("crane painted yellow",), ("ladder still to be oiled",))
GOOD = """# Colour of the harbour crane

## Asked

- Which colour shall the harbour crane get?

## Done

- The crane is painted yellow.

## Open

- The ladder has still to be oiled.
"""


@pytest.mark.parametrize(
    ("text", "asked", "false_done", "unnamed"),
    [
        (GOOD, True, 0, 0),
        ("", False, 0, 1),
        (GOOD.replace("## Open", "## Next"), True, 0, 0),
        (GOOD.replace("## Open", "## Last message"), True, 0, 1),
        (GOOD.replace("## Open", "## Done"), True, 1, 1),
        (GOOD.replace("## Open", "## Done").replace("The ladder", "[UNVERIFIED] The ladder"), True, 0, 1),
        (GOOD.replace("harbour crane", "lighthouse stairs").replace("colour", "number"), False, 0, 0),
    ],
)
def test_handoff(text, asked, false_done, unnamed):
    judged = judge_handoff(HANDED_OVER, text)
    assert (judged.asked, len(judged.false_done), len(judged.unnamed)) == (asked, false_done, unnamed)
    assert judged.right is (asked and not false_done and not unnamed)


def test_handoff_of_nothing_done():
    """Where nothing was done, any claim is false."""
    assert len(judge_handoff(HandedOver("Choose a colour"), GOOD).false_done) == 1


def write_talk(path, day, talk):
    """A transcript as Claude Code writes it."""
    lines = []
    for number, (role, text) in enumerate(talk):
        content = text if role == "user" else [{"type": "text", "text": text}]
        lines.append({
            "type": role, "uuid": f"00000000-0000-4000-8000-{day:06d}{number:06d}", "sessionId": path.stem, "cwd": "/srv/harbour",
            "timestamp": f"2026-02-{day:02d}T08:0{number}:00.000Z", "message": {"role": role, "content": content},
        })  # fmt: skip
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


@pytest.fixture
def real(tmp_path):
    """(labels, transcripts) of two sessions of one person: one in which something is decided, one silent."""
    rows = []
    for day, name, expect in (
        (3, "11111111-1111-4111-8111-111111111111", True),
        (4, "22222222-2222-4222-8222-222222222222", False),
    ):
        write_talk(
            tmp_path / "transcripts" / "harbour" / f"{name}.jsonl", day, TALK if expect else [(r, t[:30]) for r, t in TALK]
        )
        turn = f"00000000-0000-4000-8000-{day:06d}{2:06d}"
        rows.append({
            "path": f"harbour/{name}.jsonl", "person": "somebody", "time": f"2026-02-{day:02d}T08:00:00+00:00", "language": "en",
            "expect": [{"id": "e1", "kind": "decision", "statement": STATEMENT, "quotes": [TALK[2][1][:50]], "turns": [turn],
                        "explicit": True}] if expect else [],
            "handoff": {"asked": "Colour of the harbour crane", "done": ["crane painted yellow"], "open": ["oil the ladder"]},
        })  # fmt: skip
    rows.append({**rows[0], "path": "harbour/gone.jsonl"})
    labels = tmp_path / "labels.jsonl"
    labels.write_text("".join(json.dumps(row) + "\n" for row in reversed(rows)), encoding="utf-8")
    return labels, tmp_path / "transcripts"


def example(schema):
    """The emptiest object that fits a schema."""
    empty = {"string": "", "array": [], "number": 0, "integer": 0, "boolean": False}
    if schema["type"] == "object":
        return {name: example(one) for name, one in schema["properties"].items()}
    return schema["enum"][0] if "enum" in schema else empty[schema["type"]]


def answer(schema, text, quote):
    entry = {"text": text, "quote": quote, "at": 3, "kind": "decision", "relation": "new", "title": "Gulls shun yellow paint"}
    return {**example(schema), "memories": [example(schema["properties"]["memories"]["items"]) | entry]}


def test_without_model(real):
    """Sessions pass in time order; what is not there is left out and said so."""
    told = bench_real(*real, wrong=True, progress=quiet)
    assert (told["left_out"], told["total"]["active"]["sessions"], told["problems"]) == (1, 2, [])
    assert told["total"]["active"]["silent_sessions"] == 1
    assert told["total"]["handoffs"]["asked_right"] >= 1
    assert told["persons"].keys() == {"somebody"}
    assert bench_real(*real, person="nobody", progress=quiet)["total"]["active"]["sessions"] == 0


def test_lives(real, tmp_path):
    """Starts and prompts of a person are asked as their hooks would; each line is written for a reader, whose verdicts are summed up."""
    figures, lines = bench_lives(*real, llm="oracle", person="", progress=quiet)
    assert (figures["starts"]["all"], figures["prompts"]["all"]) == (2, 4)
    assert figures["starts"]["lines"] + figures["prompts"]["lines"] == len(lines)
    briefed = [line for line in lines if line.moment == "start"]
    assert any(
        line.key.startswith("memory://") and line.kind and line.age_h is not None for line in briefed
    )  # of the first session
    assert f"{figures['starts']['lines']} lines" in lives.text_of(figures)
    file = tmp_path / "lines.jsonl"
    useful = replace(briefed[0], moment="prompt", tokens=30, verdict="useful")
    lives.write_lines([useful, replace(useful, tokens=70, verdict="noise"), replace(useful, verdict="")], file)
    told = lives.judged(file)["judged"]["prompt"]
    assert (told["lines"], told["useful"], told["noise"], told["tokens_each_useful"]) == (2, 1, 1, 100)
    assert (told["moments"], told["moments_useful"]) == (1, 1)
    assert "1 of 2 lines useful" in lives.text_of(lives.judged(file))


def test_story(real):
    """What the first session of a person left is shown at the start of the next, and counts alone name nothing that was said."""
    told = bench_story(*real, llm="oracle", person="somebody", sessions=2, progress=quiet)
    first, second = told["sessions"]
    assert [one["verdict"] for one in first["saved"]] == ["right"]
    assert (first["start"], told["total"]["prompts"], told["total"]["active"]) == ([], 4, {"right": 1})
    assert any("yellow" in line for line in second["start"])
    assert "yellow" in story.text_of(told, counts_only=False)
    assert "yellow" not in story.text_of(told, counts_only=True)
    with pytest.raises(InvalidInput):
        bench_story(*real, llm="none", person="nobody", sessions=2, progress=quiet)


def test_lives_refuse_other_files(tmp_path):
    """A file that bench lives did not write is refused with a sentence."""
    file = tmp_path / "other.jsonl"
    file.write_text('{"useful": true}\n')
    with pytest.raises(InvalidInput):
        lives.judged(file)


def test_oracle(real):
    """Perfect answers, made from the labels: what is expected is kept, nothing else, and the handoff is right."""
    told = bench_real(*real, llm="oracle", wrong=True, progress=quiet)
    assert (told["total"]["active"]["recall_all"], told["total"]["active"]["precision"]) == (1.0, 1.0)
    assert told["reading"]["sessions_read"] == 2
    assert told["total"]["handoffs"]["right"] == 2
    assert (told["wrong"]["rejected"], told["problems"]) == ([], [])


def test_oracle_backs_what_an_agent_said():
    """It quotes who said it best, names what stands behind an agent's words, and says again what is known."""
    messages = (
        "[1] user, pasted: A long plan about cranes and other things.", "[2] agent: The crane at the harbour rusts when it rains.",
        "[3] ran: make test => failed: 1 failed", "[4] user: yes, do it",
    )  # fmt: skip
    known = "m1 (lesson): Gulls avoid the yellow harbour crane."
    conversation = "\n".join(messages)
    material = (f"<known_memories>\n{known}\n</known_memories>", f"<conversation>\n{conversation}\n</conversation>")
    prompt = Prompt("memories/5", "", material, {})

    def of(**more):
        one = Expected("e1", more.pop("kind", "decision"), more.pop("statement", "The crane rusts."), **more)
        (entry,) = oracle_answer(prompt, label(expect=(one,)))["memories"]
        return entry["at"], entry["backed"], entry["relation"], entry["target"]

    quotes = ("plan about cranes", "the crane at the harbour rusts")
    assert of(quotes=quotes) == (2, 4, "new", "")
    assert of(quotes=quotes, kind="lesson") == (2, 3, "new", "")
    assert of(quotes=quotes[:1]) == (1, 4, "new", "")
    again = {"statement": "Gulls avoid the harbour crane, which is yellow.", "repeats": {"path": "a", "id": "e1"}}
    assert of(quotes=quotes, **again) == (2, 4, "same", "m1")
    outdated = {"statement": "The harbour crane is grey again.", "replaces": ("a#e1",)}
    one = Expected("e2", "decision", quotes=quotes, **outdated)
    answered = oracle_answer(prompt, label(expect=(one,)), {"a#e1": "Gulls avoid the yellow harbour crane."})
    assert [(entry["relation"], entry["target"]) for entry in answered["memories"]] == [("update", "m1")]
    assert oracle_answer(prompt, label(expect=(Expected("e3", "fact", "x", quotes=("nobody said it",)),)))["memories"] == []


def test_recorded(real, tmp_path):
    """Prompts of what has no answer are written; answers become places in a recording that holds nobody's words, and are replayed."""
    recording, folder = tmp_path / "recorded.jsonl", tmp_path / "prompts"
    first = bench_real(*real, llm=f"replay:{recording}", prompts=folder, progress=quiet)
    samples = sorted(folder.glob("000-*.md"))
    assert len(samples) == len(SAMPLES)
    written = sorted(set(folder.glob("*.md")) - set(samples))
    assert [file.name[:4] for file in written] == ["001-", "002-"]
    assert first["reading"]["unanswered"][0].endswith(f"{written[0].stem[4:]}.")
    assert TALK[2][1][:50] in written[0].read_text(encoding="utf-8")
    schema = json.loads(written[0].with_suffix(".prompt.json").read_text(encoding="utf-8"))["schema"]
    said = answer(
        schema, "The harbour crane gets yellow paint, which gulls shun.", "paint the harbour crane yellow, gulls avoid it"
    )
    said["memories"][0]["lasting"] = True
    for file in written:
        file.with_suffix(".json").write_text(json.dumps(said), encoding="utf-8")
    written[0].write_text("As it was answered.", encoding="utf-8")
    bench_real(*real, llm=f"replay:{recording}", prompts=folder, progress=quiet)
    assert written[0].read_text(encoding="utf-8") == "As it was answered."
    runner = CliRunner()
    done = runner.invoke(bench, ["real", "--record", str(folder), str(recording)])
    assert done.exit_code == 0, done.output
    assert "2 answers recorded, 0 refused" in done.output
    assert f"nobody said, in {written[1].stem}.json: paint the harbour crane" in done.output
    assert "gulls avoid" not in recording.read_text(encoding="utf-8")
    assert "gulls shun" in recording.read_text(encoding="utf-8")

    shown = runner.invoke(bench, ["real", *map(str, real), "--llm", f"replay:{recording}", "--json", "--wrong"])
    told = json.loads(shown.output)
    assert (told["total"]["active and waiting"]["right"], told["total"]["active and waiting"]["junk"]) == (1, 0)
    assert told["reading"]["unanswered"] == []
    assert told["reading"]["tokens_in"]["median"] > 0
    assert [one["path"] for one in told["wrong"]["rejected"]] == ["harbour/22222222-2222-4222-8222-222222222222.jsonl"]
    text = runner.invoke(bench, ["real", *map(str, real), "--llm", f"replay:{recording}", "--wrong"]).output
    assert "1 right, 0 double, 0 junk" in text


@pytest.mark.parametrize("file", sorted((Path(vademecum_bench.__file__).parent / "recorded").glob("*.jsonl")))
def test_committed_recordings(file):
    """What is committed can be read, holds one answer to each question, and quotations as places alone."""
    records = read_recording(file)
    entries = [entry for one in records for entry in one.answer.get("memories", ())]
    assert len({(one.prompt, one.key) for one in records}) == len(records) > 0
    assert all(entry["quote"].keys() == {SAID} for entry in entries)


@pytest.mark.parametrize(
    ("words", "first", "place"),
    [
        ("Gulls avoid it", 0, [1, 6, 20]),
        ("gulls avoid it", 2, [2, 7, 21]),
        ("Gulls, AVOID\n`it`", 9, [1, 6, 20]),
        ("gulls ... yellow", 2, [2, 7, 12, 26, 32]),
        ("海鸥避", 0, [3, 8, 11]),
        ("gulls like it", 0, None),
        ("ulls avoid", 0, None),
        ("...", 0, None),
    ],
)
def test_place(words, first, place):
    """Words are found whatever signs stand between them, in the message that is named before the others."""
    assert (
        place_of(words, ("user: gulls avoid it.", "agent: gulls avoid it, so yellow.", "user: 因为海鸥避开黄色。"), first)
        == place
    )


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (
            {"text": "Grey hides rust, yellow is seen from far away. We paint the harbour crane yellow, gulls avoid it."},
            "copies 8 words",
        ),
        ({"at": "the third"}, "must be of type integer"),
        ({"colour": "yellow"}, "which nobody asked for"),
    ],
)
def test_refused(real, tmp_path, change, why):
    """An answer that does not fit the schema, or copies what was said, is not recorded."""
    recording, folder = tmp_path / "recorded.jsonl", tmp_path / "prompts"
    bench_real(*real, llm=f"replay:{recording}", prompts=folder, progress=quiet)
    prompt = min(folder.glob("001-*.prompt.json"))
    said = answer(json.loads(prompt.read_text(encoding="utf-8"))["schema"], "Gulls shun yellow.", "gulls avoid it")
    said["memories"][0] |= change
    (folder / prompt.name.replace(".prompt.json", ".json")).write_text(json.dumps(said), encoding="utf-8")
    done = CliRunner().invoke(bench, ["real", "--record", str(folder), str(recording)])
    assert why in done.output
    assert read_recording(recording) == ()


def test_typed(tmp_path):
    """Labelled pasted turns that are known as such, typed ones that are taken for pasted; what is wrong is listed."""
    plan = "Implement the following plan:\n\n# Painting the crane\n\n" + "\n".join(
        f"## Step {n}\n\n- **Goal**: `paint_part_{n}()` is called from `harbour/crane_{n}.py:{n}`" for n in range(1, 9)
    )
    talk = [("user", plan), ("assistant", "Done."), ("user", TALK[2][1]), ("assistant", "Yes."), ("user", TALK[0][1])]
    write_talk(tmp_path / "harbour" / "33333333-3333-4333-8333-333333333333.jsonl", 5, talk)
    refs = [f"00000000-0000-4000-8000-{5:06d}{number:06d}" for number in (0, 2)]
    row = {
        "path": "harbour/33333333-3333-4333-8333-333333333333.jsonl", "person": "somebody", "time": "2026-02-05T08:00:00+00:00",
        "pasted": refs,
    }  # fmt: skip
    labels = tmp_path / "labels.jsonl"
    labels.write_text(json.dumps(row) + "\n", encoding="utf-8")
    done = CliRunner().invoke(bench, ["real", str(labels), str(tmp_path), "--typed", "--wrong"])
    assert "TOTAL: 1 of 2 pasted turns known (50%), 0 of 1 typed ones lost (0%)" in done.output
    assert "pasted, not known (1)" in done.output
    assert TALK[2][1][:40] in done.output
