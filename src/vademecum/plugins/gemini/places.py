"""Places where Gemini CLI stores conversations, as of 2026-11; docs/transcripts.md gives the source of each."""

from vademecum.ports.transcripts import Place

PLACES = (
    Place(
        "gemini", ".gemini/tmp", ".gemini", files=("*/chats/*.json", "*/chats/*.jsonl"),
        side=("*/chats/*/**/*.json", "*/chats/*/**/*.jsonl"), never="`tool-outputs`, checkpoints, `logs.json`, plans",
    ),
)  # fmt: skip
