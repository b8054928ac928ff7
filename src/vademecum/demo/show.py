"""`vade demo`: ingest sample conversations; show the memories, a briefing, and an answer that stays empty.

Everything uses the real code: transcripts are captured, mined, routed and written; questions are searched, gated and packed.
"""

import tempfile
import textwrap
from collections.abc import Callable
from pathlib import Path

from vademecum.api import Vademecum
from vademecum.demo.script import PROJECT, PROMPTS, TODAY
from vademecum.domain.query import Bundle, Query
from vademecum.ingest.transcripts import CaptureReport
from vademecum.settings import load
from vademecum.wiring import clock_at, open_memory

Say = Callable[[str], object]

TRANSCRIPTS = Path(__file__).parent / "transcripts"
WIDTH = 110


def run_demo(say: Say) -> None:
    """Run the demo in a temporary folder, which is removed afterwards."""
    with tempfile.TemporaryDirectory(prefix="vade-demo-") as name:
        folder = Path(name)
        settings = load(
            config=folder / "none.toml",
            environment={},
            overrides={"home": str(folder / "Vademecum"), "data_dir": str(folder / "data"), "cache_dir": str(folder / "cache")},
        )
        Path(settings.home).mkdir()
        with open_memory(settings, clock=clock_at(TODAY)) as memory:
            _take_in(memory, say)
            _show_memories(memory, folder / "Vademecum", say)
            _show_briefing(memory, say)
            for number, (prompt, remark) in enumerate(PROMPTS, 1):
                _show_prompt(memory, number, prompt, remark, say)
    say("\nThat is all: plain files, an index that can be deleted at any time, and silence when nothing is known.")


def _title(say: Say, text: str) -> None:
    say(f"\n{text}\n{'=' * len(text)}")


def _take_in(memory: Vademecum, say: Say) -> None:
    files = sorted(TRANSCRIPTS.glob("*.jsonl"))
    _title(say, f"1. Taking in {len(files)} conversations of one person")
    report: CaptureReport = memory.maintenance.capture(tuple(str(file) for file in files))
    memory.maintenance.refine()
    for session in report.sessions:
        turns = sum(session.turns.values())
        count = session.turns.get("user", 0)
        say(f"  {session.title[:64]:<66} {turns:>3} turns, {count:>2} by the person, {len(session.saved)} candidates")


def _show_memories(memory: Vademecum, home: Path, say: Say) -> None:
    _title(say, "2. The memories that were saved, each one a Markdown file")
    kept = memory.notes.list(status=("active", "inbox"))
    replaced = {conflict.earlier.key for conflict in memory.notes.conflicts()}
    for item in sorted(kept, key=lambda item: (item.valid_from or TODAY, item.title)):
        mark = "  [may be outdated]" if item.key in replaced else "" if item.status == "active" else f"  [{item.status}]"
        say(f"  {item.valid_from or TODAY:%Y-%m-%d}  {item.kind:<11}{item.title[:78]}{mark}")
    shown = next(home / item.path for item in kept if item.status == "active" and item.kind == "decision")
    say(f"\n  {len(kept)} files; this is {shown.relative_to(home)}:\n")
    say(textwrap.indent(shown.read_text(encoding="utf-8").rstrip(), "    | "))


def _show_briefing(memory: Vademecum, say: Say) -> None:
    _title(say, "3. What a new session is shown at its start")
    briefing = memory.recall.briefing(PROJECT)
    _show_text(say, briefing)


def _show_prompt(memory: Vademecum, number: int, prompt: str, remark: str, say: Say) -> None:
    _title(say, f'{number + 3}. Prompt: "{prompt}"')
    say(f"  ({remark})\n")
    bundle = memory.recall.bundle(Query(prompt, project=PROJECT, limit=3))
    _show_text(say, bundle)
    recall = bundle.recall
    if recall is None:
        return
    say(f"\n  why: {recall.verdict}, confidence {recall.confidence:.2f} against {recall.threshold:.2f}, {recall.ms:.0f} ms")
    for hit in recall.hits:
        signals = ", ".join(
            f"{name} {value:.2f}" for name, value in hit.signals.items() if name in ("words", "meaning", "item")
        )
        boosts = "".join(f", {name} {value:+.1f}" for name, value in hit.boosts.items())
        say(f"    {hit.score:6.2f}  {hit.item.title[:60]:<62}{signals}{boosts}")
    for left in recall.left[:3]:
        say(f"    left out: {left.title[:60]} ({left.why})")
    for reason in recall.missing:
        say(f"    without {reason}")


def _show_text(say: Say, bundle: Bundle) -> None:
    if not bundle.text:
        say("    (nothing is shown)")
        return
    for line in bundle.text.splitlines():
        for part in textwrap.wrap(line, WIDTH, subsequent_indent="  ") or [""]:
            say(f"    | {part}")
    say(f"  {bundle.tokens} of {bundle.budget_tokens} tokens")
