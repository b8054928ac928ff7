"""Places where Droid stores conversations, as of 2026-11; docs/transcripts.md gives the source of each."""

from vademecum.ports.transcripts import Place

PLACES = (
    Place("droid", ".factory/sessions", ".factory", files=("**/*.jsonl",), never="artifacts, logs", title="Droid"),
)  # fmt: skip
