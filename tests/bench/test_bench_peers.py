"""The comparison with other memories: what is asked, when an answer is right, what is counted, and the page."""

import importlib
import json
import shutil
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from vademecum.domain.errors import InvalidInput
from vademecum.settings import Settings
from vademecum_bench.peers import page as comparison
from vademecum_bench.peers import run as peers_run
from vademecum_bench.peers import table
from vademecum_bench.peers.adapters import use_vademecum
from vademecum_bench.peers.adapters.use_fts5 import Fts5
from vademecum_bench.peers.adapters.use_ripgrep import Ripgrep
from vademecum_bench.peers.boards import BOARDS, convert_board
from vademecum_bench.peers.delivered import PIECE, Gold, letters, share_delivered, within
from vademecum_bench.peers.run import Run, bench_peers, save_figures
from vademecum_bench.peers.sample import Size, sampled
from vademecum_bench.peers.table import PeerFailed, Row, chosen_rows, install, read_boards, read_table
from vademecum_bench.recall_set import RecallSet, SetQuery, SetSession, read_recall_set

LONG = " ".join(f"The ferry number {number} leaves the pier of Almada." for number in range(20, 40))
SAID = {
    "D1": ["My parrot is called Quetzal.", "It eats figs at noon."],
    "D2": ["The canary sings at dawn.", "Sure."],
    "D3": [LONG, "Sure."],
}


def session(name, scope="one"):
    turns = tuple({"id": f"{name}:{number}", "speaker": "Ana", "text": text} for number, text in enumerate(SAID[name]))
    return SetSession(scope, name, "2024-05-08T13:56:00", turns)


def query(name, text, turns=(), sessions=(), visible=None, scope="one", category="single"):
    return SetQuery(scope, name, text, category, frozenset(turns), frozenset(sessions), visible)


SESSIONS = tuple(session(name) for name in SAID)
ASKED = (
    query("q1", "What is the parrot called?", ["D1:0"], visible=3),
    query("q2", "When does the canary sing?", ["D2:0"], visible=2),
    query("q3", "Who ate the figs and the parrot?", ["D1:0", "D1:1"], visible=1),
    query("q4", "Which wheels has the bicycle?", ["D2:0"], scope="two"),
    query("q6", "Where is what the set has lost?", ["D9:0"]),
    query("q5", "Has the tractor wheels?", ["D1:0"], category="adversarial"),
)
SET = RecallSet("set.jsonl", (*SESSIONS, session("D2", "two")), ASKED)


def taken(peer, names=tuple(SAID)):
    peer.ingest([{"id": name, "time": "2024-05-08T13:56:00", "turns": list(session(name).turns)} for name in names])
    return peer


def test_a_turn_counts_by_its_text():
    """A turn is delivered by any memory that shows its words, whatever stands around them and however they are written."""
    gold = Gold(SESSIONS).of(ASKED[0])
    assert share_delivered(gold, ["**Ana** said: “My PARROT is\ncalled Quetzal”"]) == 1
    assert share_delivered(gold, ["My parrot is green."]) == 0
    assert share_delivered(gold, []) == 0


def test_all_and_any_stay_apart():
    """Of a question with two right turns one that is shown is half of them: enough for any, not for all."""
    gold = Gold(SESSIONS).of(ASKED[2])
    assert share_delivered(gold, ["It eats figs at noon."]) == 0.5
    assert share_delivered(gold, ["It eats figs at noon.", "My parrot is called Quetzal."]) == 1


def test_a_piece_of_a_long_turn_is_enough():
    """A clipped line of a long turn counts where it holds a whole piece; fewer letters than a piece do not."""
    gold = Gold(SESSIONS).of(query("q", "Which ferry?", ["D3:0"]))
    assert share_delivered(gold, ["... " + LONG[200:500] + " ..."]) == 1
    assert share_delivered(gold, [LONG[200 : 200 + PIECE // 2]]) == 0


def test_what_is_said_twice_stands_for_no_conversation():
    """A conversation counts by what was said in it alone: a short "Sure." that others hold too delivers none."""
    gold = Gold(SESSIONS).of(query("q", "What sings?", sessions=["D2"]))
    assert share_delivered(gold, ["Sure."]) == 0
    assert share_delivered(gold, ["The canary sings at dawn."]) == 1


@pytest.mark.parametrize(("text", "wanted"), [("Grüße, Ａna!", "grüsseana"), ("鹦鹉 叫 小绿。", "鹦鹉叫小绿")])
def test_letters_of_any_language(text, wanted):
    """Case, width, blanks and punctuation make no difference, in any script."""
    assert letters(text) == wanted


def test_a_budget_of_tokens_cuts_the_last_item():
    """Big items are no advantage where tokens are counted: the text is cut where they end."""
    items = within(["a" * 330, "b" * 330, "c" * 330], 150)
    assert items[0] == "a" * 330
    assert 0 < len(items[1]) < 330
    assert len(items) == 2


def test_the_same_questions_for_all():
    """The same seed draws the same questions, evenly over the scopes, in the order in which they can be asked; those that are
    adversarial, or have no answer in the set, never."""
    size = Size(scopes=2, questions=4, unrelated=2, seed=3)
    first, again = sampled(SET, size), sampled(SET, size)
    assert first == again
    own = first[0].questions
    assert [one.visible for one in own] == sorted(one.visible for one in own)
    assert first[0].unrelated == ("Which wheels has the bicycle?",)
    assert {one.id for scope in first for one in scope.questions} <= {"q1", "q2", "q3", "q4"}


def test_turns_that_should_get_nothing():
    """Where a set itself names questions that should get nothing, those are asked."""
    quiet = query("q6", "Make the memo shorter.", category="silence")
    [scope] = sampled(RecallSet("x", SESSIONS, (*ASKED[:3], quiet)), Size(1, 3, 5, 1))
    assert scope.unrelated == ("Make the memo shorter.",)


def test_plain_search(tmp_path):
    """FTS5 finds a turn by its words and keeps to the number of rows asked for; nothing common, nothing found."""
    fts5 = taken(Fts5(tmp_path))
    assert fts5.ask("What is the parrot called?", None)[0] == "Ana: My parrot is called Quetzal."
    assert len(fts5.ask("Sure parrot canary ferry", 2)) == 2
    assert fts5.ask("Where is the tractor?", 5) == []
    assert (tmp_path / "index.db").exists()


@pytest.mark.skipif(shutil.which("rg") is None, reason="ripgrep is not installed")
def test_ripgrep(tmp_path):
    """ripgrep shows the lines with the most different words of the question first."""
    ripgrep = taken(Ripgrep(tmp_path))
    assert ripgrep.ask("When does the canary sing?", None)[0] == "Ana: The canary sings at dawn."
    assert len(ripgrep.ask("parrot canary ferry", 2)) == 2
    assert ripgrep.ask("Where is the tractor?", 5) == []


@pytest.mark.parametrize("entrance", ["hook", "mcp"])
def test_ours_is_asked_as_in_use(tmp_path, monkeypatch, entrance):
    """Ours shows what its entrance shows, cut into items; what the hook keeps silent about is an answer without items."""
    settings = Settings(home="/nowhere", data_dir="/nowhere", cache_dir=str(tmp_path), device="laptop", embedder="none")
    monkeypatch.setattr(use_vademecum, "load_settings", lambda: settings)
    (tmp_path / "store").mkdir()
    ours = use_vademecum.Vademecum(tmp_path / "store", entrance)
    taken(ours)
    assert share_delivered(Gold(SESSIONS).of(ASKED[0]), ours.ask("What is the parrot called?", None)[:1]) == 1
    assert len(ours.ask("What is the parrot called?", 1)) == 1
    assert entrance == "mcp" or ours.ask("Which wheels has the bicycle?", None) == []
    ours.close()


def test_ours_takes_pages_as_notes(tmp_path, monkeypatch):
    """A page is a note of the person's vault, so the hook shows it at an order that names it."""
    settings = Settings(home="/nowhere", data_dir="/nowhere", cache_dir=str(tmp_path), device="laptop", embedder="none")
    monkeypatch.setattr(use_vademecum, "load_settings", lambda: settings)
    (tmp_path / "store").mkdir()
    ours = use_vademecum.Vademecum(tmp_path / "store", "hook")
    page = {"id": "people/ana", "speaker": "Ana Falk", "text": "She builds kayaks of cedar.", "note": True}
    ours.ingest([{"id": "people/ana", "time": None, "turns": [page]}])
    assert "kayaks of cedar" in "".join(ours.ask("Draft a letter to Ana Falk about the summer.", None))
    ours.close()


def test_a_memory_for_memrank(tmp_path, monkeypatch):
    """memrank asks us by its four methods: each group starts empty, and it gets its own documents back, at most as many as it asks for."""
    monkeypatch.setitem(sys.modules, "memrank", SimpleNamespace(Memory=object, Recall=SimpleNamespace))
    ours = importlib.import_module("vademecum_bench.peers.memrank_memory")
    settings = Settings(home="/nowhere", data_dir="/nowhere", cache_dir=str(tmp_path), device="laptop", embedder="none")
    monkeypatch.setattr(ours, "load_settings", lambda: settings)
    documents = [
        SimpleNamespace(id=name, content=text, user_id="Ana", timestamp=None)
        for name, (text, *_) in SAID.items()
        if name != "D3"
    ]
    memory = ours.VademecumMemory()
    memory.prepare("first")
    memory.ingest(documents)
    assert memory.retrieve("What is the parrot called?", 1, "Ana").documents == documents[:1]
    memory.prepare("second")
    memory.ingest(documents[1:])
    assert documents[0] not in memory.retrieve("What is the parrot called?", 5, "Ana").documents
    memory.cleanup()


FAKE = """
from pathlib import Path
from peer import said, serve
class Fake:
    def __init__(self, folder):
        self.file = folder / "said.txt"
    def ingest(self, sessions):
        print("a memory may print what it likes")
        with self.file.open("a") as file:
            for session in sessions:
                file.write("".join(said(turn) + chr(10) for turn in session["turns"]))
    def ask(self, question, limit):
        if "bicycle" in question and FAILS:
            raise SystemExit("no wheels")
        return self.file.read_text().splitlines()[:limit or 2]
    def close(self): pass
serve(Fake)
"""


@pytest.fixture
def fake(tmp_path, monkeypatch):
    """A memory of three lines, in an environment that is this Python, and a set that it is asked."""
    adapters = tmp_path / "adapters"
    adapters.mkdir()
    shutil.copy(Path(table.ADAPTERS) / "peer.py", adapters)
    monkeypatch.setattr(table, "ADAPTERS", adapters)
    programs = tmp_path / "cache" / "fake" / "bin"
    programs.mkdir(parents=True)
    (programs / "python").symlink_to(sys.executable)
    lines = [
        {"type": "session", "scope": one.scope, "id": one.id, "time": one.time, "turns": list(one.turns)}
        for one in SET.sessions
    ]
    lines += [
        {"type": "query", "scope": one.scope, "id": one.id, "text": one.text, "category": one.category,
         "gold_turns": list(one.gold_turns), "gold_sessions": [], "visible_sessions": one.visible} for one in ASKED
    ]  # fmt: skip
    (tmp_path / "set.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")

    def asked(fails):
        (adapters / "use_fake.py").write_text(FAKE.replace("FAILS", str(fails)), encoding="utf-8")
        row = Row("fake", "a test", adapter=("use_fake",), version="1")
        run = Run(tmp_path / "cache", sys.executable, 30, Size(1, 3, 1, 3))
        return bench_peers(tmp_path / "set.jsonl", [row], run, lambda line: None)

    return asked


def test_a_memory_in_its_own_process(fake):
    """A memory is asked through its process, gets only what had happened, and what it delivered and took is counted."""
    figures = fake(fails=False)
    assert {key: figures[key] for key in ("scopes", "questions", "unrelated", "seed")} == {
        "scopes": 1, "questions": 3, "unrelated": 1, "seed": 3,
    }  # fmt: skip
    one = figures["peers"]["fake"]
    assert one["own"]["all"] == pytest.approx(2 / 3, abs=1e-3)  # the canary's line is the third
    assert one["few"]["all"] == 1
    assert one["unrelated_answered"] == 1
    assert one["items"] == 2
    assert one["tokens_per_right"] > one["tokens"] > 0
    assert one["peak_mb"] >= 0
    assert one["disk_per_text"] > 0
    assert (one["version"], "failed" in one) == ("1", False)


def test_a_memory_that_fails_has_no_figure(fake):
    """A memory that ends in the middle is a row with the reason, not a figure of what it did before."""
    one = fake(fails=True)["peers"]["fake"]
    assert one["failed"] == "ended at ask: no wheels"
    assert "own" not in one


def test_results_of_the_same_questions_are_merged(tmp_path, monkeypatch):
    """Memories can be measured one by one: a later one stands beside those that were asked the same; other questions start anew."""
    monkeypatch.setattr(peers_run, "RESULTS", tmp_path)
    for seed, name in ((7, "a"), (7, "b"), (8, "c")):
        save_figures(Path("set.jsonl"), {"seed": seed, "peers": {name: {}}}, "vade bench peers")
        saved = json.loads((tmp_path / "peers-set.json").read_text(encoding="utf-8"))["figures"]
        assert set(saved["peers"]) == ({"a", "b"} if name == "b" else {name})


def test_the_table_is_whole():
    """Each memory has an adapter and exact versions, or says why there is no figure and how to get one."""
    for row in read_table():
        if row.missing:
            assert row.how
        else:
            assert (table.ADAPTERS / f"{row.adapter[0]}.py").exists()
            assert row.limit
            assert row.model
            assert all("==" in package for package in row.packages)
            assert row.version or row.programs or row.python == "ours"
    assert {board.name for board in read_boards()} >= {"LongMemEval", "memrank"}


def test_what_cannot_be_asked_is_refused(tmp_path):
    """A name that is not in the table, one without a figure, and a program that is not installed are refused with what to do."""
    with pytest.raises(InvalidInput, match="There is no 'nobody'"):
        chosen_rows(["nobody"])
    missing = next(row for row in read_table() if row.missing)
    with pytest.raises(InvalidInput, match="cannot be measured"):
        chosen_rows([missing.name])
    with pytest.raises(PeerFailed, match="needs the program no-such-program-here"):
        install(Row("x", "door", programs=("no-such-program-here",)), tmp_path, sys.executable, lambda line: None)


def figures_of(share, tokens, **more):
    measure = {"all": share, "all 95%": [0.1, 0.9], "any": share, "share": share}
    return {
        "own": measure, "few": measure, "budget": measure, "tokens": tokens, "tokens_per_right": tokens, "unrelated_answered": 0.5,
        "cpu_ms": 1.25, "ingest_cpu_s_per_1000_turns": 2.0, "peak_mb": 1234, "disk_per_text": 3.0, "version": "1",
        "measured": "2026-01-01", **more,
    }  # fmt: skip


def test_the_page_says_where_we_are_not_first():
    """The page ranks by what is delivered in the same number of tokens, names each column in which another is ahead, and a memory that
    failed with its reason."""
    peers = {"vademecum, hook": figures_of(0.4, 200), "SQLite FTS5": figures_of(0.5, 300)}
    peers["broken"] = {"failed": "ended at ask: no wheels", "version": "3", "measured": "2026-01-02"}
    figures = {"questions": 3, "scopes": 1, "unrelated": 1, "seed": 7, "peers": peers}
    text = comparison.page({"locomo": {"figures": figures, "machine": "a machine", "command": "vade bench peers"}})
    assert text.index("| SQLite FTS5 1 |") < text.index("| **vademecum, hook** 1 |")
    behind = next(line for line in text.splitlines() if line.startswith("* LoCoMo, vademecum, hook:"))
    assert "1,000 tokens: all: SQLite FTS5 50 %, ours 40 %" in behind
    assert "tokens an answer" not in behind
    assert "broken 3 gave no figure: it ended at ask: no wheels." in text
    assert "Measured 2026-01-01 and 2026-01-02." in text


def test_the_page_is_current():
    """The page is generated; nobody writes a figure into it by hand."""
    assert comparison.PAGE.read_text(encoding="utf-8") == comparison.page(comparison.results()), "make docs"


def made(tmp_path, board):
    """Files of the shape of a public suite, with text of ours."""
    if board == "longmemeval":
        turns = [[{"role": "user", "content": "I sold my kayak."}], [{"role": "user", "content": "Hi", "has_answer": True}]]
        row = {"question_id": "k1", "question_type": "single-session-user", "question": "What did I sell?"}
        row |= {"haystack_session_ids": ["s2", "s1"], "haystack_dates": ["2023/05/30 (Tue) 10:00", "2023/05/20 (Sat) 02:21"]}
        (tmp_path / "lme.json").write_text(json.dumps([row | {"haystack_sessions": turns, "answer_session_ids": ["s2"]}]))
        return tmp_path / "lme.json"
    if board == "brainbench":
        for name in ("fixtures", "gold"):
            (tmp_path / name).mkdir()
        page = {"slug": "people/ana", "content": "---\ntitle: Ana\n---\n\nAna builds kayaks.\n"}
        turns = [{"turn_id": 1, "role": "user", "text": "Write to Ana."}, {"turn_id": 2, "role": "user", "text": "Shorter."}]
        fixture = {"fixture_id": "f1", "category": "push", "seed_pages": [page], "turns": turns}
        gold = {"1": {"should_retrieve": True, "gold_slugs": ["people/ana"]}, "2": {"should_retrieve": False}}
        (tmp_path / "fixtures" / "f1.fixture.json").write_text(json.dumps(fixture))
        (tmp_path / "gold" / "f1.gold.json").write_text(json.dumps({"fixture_id": "f1", "turns": gold}))
        return tmp_path
    (tmp_path / "qrels").mkdir()
    (tmp_path / "corpus.jsonl").write_text('{"_id": "c1", "title": "Boats", "text": "Ana builds kayaks."}\n')
    (tmp_path / "queries.jsonl").write_text(
        '{"_id": "q1", "text": "Who builds kayaks?"}\n{"_id": "q2", "text": "Nobody asks."}\n'
    )
    (tmp_path / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\tc1\t1\nq2\tc1\t0\n")
    return tmp_path


@pytest.mark.parametrize(
    ("board", "sessions", "questions"),
    [
        ("longmemeval", ["s1", "s2"], [("What did I sell?", [], ["s2"])]),
        ("brainbench", ["people/ana"], [("Write to Ana.", ["people/ana"], []), ("Shorter.", [], [])]),
        ("beir", ["c1"], [("Who builds kayaks?", ["c1"], [])]),
    ],
)
def test_public_suites_become_sets(tmp_path, board, sessions, questions):
    """The files of each public suite become a recall set: sessions in the order of time, questions with what is right."""
    out = tmp_path / "out.jsonl"
    assert convert_board(board, made(tmp_path, board), out) == (1, len(questions))
    written = read_recall_set(out)
    assert [one.id for one in written.sessions] == sessions
    assert [(one.text, sorted(one.gold_turns), sorted(one.gold_sessions)) for one in written.queries] == questions


@pytest.mark.parametrize("board", sorted(BOARDS))
def test_a_folder_that_is_no_suite(tmp_path, board):
    """Files that are not of the suite are refused by name; nothing is written."""
    (tmp_path / "fixtures").mkdir()
    (tmp_path / "fixtures" / "x.fixture.json").write_text("{}")
    with pytest.raises(InvalidInput, match=f"is not of {board}"):
        convert_board(board, tmp_path, tmp_path / "out.jsonl")
    assert not (tmp_path / "out.jsonl").exists()
