"""Places where Cursor stores conversations, as of 2026-11; docs/transcripts.md gives the source of each."""

from vademecum.ports.transcripts import Place

PLACES = (
    Place(
        "cursor", ".cursor/projects", ".cursor", files=("*/agent-transcripts/**/*.jsonl", "*/agent-transcripts/**/*.txt"),
        side=("*/agent-transcripts/**/subagents/**/*.jsonl", "*/agent-transcripts/**/subagents/**/*.txt"),
        never="`agent-tools`, `terminals`, `uploads`, `assets`, `mcps`",
    ),
    Place("cursor", ".cursor/chats", ".cursor", files=("*/*/store.db",), never="everything else"),
    Place(
        "cursor", "Cursor/User/globalStorage/state.vscdb", "Cursor/User", "config", never="other databases, history of files",
    ),
)  # fmt: skip
