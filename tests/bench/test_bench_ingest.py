"""The made transcripts are what hosts write, and the measuring of their reading counts right."""

import json

from vademecum.adapters.transcripts import formats
from vademecum.ingest.discover import form_of
from vademecum.ingest.reader import head, read
from vademecum.settings import Settings
from vademecum_bench.ingest import bench_ingest
from vademecum_bench.talk import HOSTS, Talker


def no_progress(what, done, total):
    """Nobody looks on."""


def test_made_transcripts(tmp_path):
    """Each host's made transcript is recognised, has no line that is not known, and gives back exactly the prompts."""
    talker = Talker()
    for talk in (talker.session(tmp_path / host, host, 60_000) for host in HOSTS):
        form = form_of(formats(), head(talk.path), talk.path)
        parsed = read(talk.path, form).parsed
        assert parsed.session.uri == talk.session
        assert parsed.broken == 0
        assert [turn.text for turn in parsed.session.turns if turn.role == "user" and not turn.sidechain] == list(talk.prompts)
        assert {"agent", "tool"} <= {turn.role for turn in parsed.session.turns}
        assert talk.path.stat().st_size >= 60_000


def test_same_for_same_seed(tmp_path):
    """Two runs make the same bytes, so that figures can be compared."""
    made = [list(Talker(3).write(tmp_path / name, 0.2, 4)) for name in ("one", "two")]
    texts = [[talk.path.read_bytes() for talk in talks] for talks in made]
    assert texts[0] == texts[1]


def test_figures(tmp_path):
    """Every prompt is found and none invented; sizes and times are told."""
    settings = Settings(cache_dir=str(tmp_path / "cache"), embedder="none")
    found = bench_ingest(settings, None, megabytes=0.6, files=6, progress=no_progress, grown=(1,))
    assert found["files"] == 6
    assert found["prompts_expected"] == found["prompts_found"] > 0
    assert (found["prompts_missed"], found["prompts_invented"], found["problems"]) == (0, 0, 0)
    assert found["exact_search"]["quotes_found"] == 1.0
    assert found["archive_mb"] > 0 < found["index_mb"]
    assert [one["megabytes"] for one in found["grown"]] == [1]


def test_own_folder(tmp_path):
    """Transcripts that are named are read where they lie and left as they are; nobody knows what to expect of them."""
    talk = tmp_path / "mine.jsonl"
    lines = [{"role": "user", "text": f"the kettle sings number {number} times in the morning light"} for number in range(4)]
    talk.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    before = talk.read_bytes(), sorted(tmp_path.iterdir())
    settings = Settings(cache_dir=str(tmp_path.parent / "cache"), embedder="none")
    found = bench_ingest(settings, tmp_path, megabytes=1, files=1, progress=no_progress, grown=())
    assert found["prompts_found"] == 4
    assert "prompts_expected" not in found
    assert (talk.read_bytes(), sorted(tmp_path.iterdir())) == before
