"""Places where OpenCode stores conversations, as of 2026-11; docs/transcripts.md gives the source of each."""

from vademecum.ports.transcripts import Place

PLACES = (
    Place("opencode", "opencode/opencode*.db", "opencode", "xdg", variable="OPENCODE_DB", below="."),
    Place("opencode", "opencode/storage/session", "opencode", "xdg", files=("**/*.json",), never="logs, outputs of tools, snapshots"),
    Place("opencode", "opencode/project/*/storage/session/info", "opencode", "xdg", files=("*.json",)),
)  # fmt: skip
