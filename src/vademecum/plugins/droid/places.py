"""Where Droid keeps conversations, as of 2026-11; docs/transcripts.md tells where each comes from."""

from vademecum.ports.transcripts import Place

PLACES = (
    Place("droid", ".factory/sessions", ".factory", files=("**/*.jsonl",), never="artifacts, logs", title="Droid"),
)  # fmt: skip
