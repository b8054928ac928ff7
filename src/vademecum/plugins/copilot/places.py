"""Places where VS Code and Copilot store conversations, as of 2026-11; docs/transcripts.md gives the source of each."""

from vademecum.ports.transcripts import Place

PLACES = (
    Place(
        "copilot", ".copilot/session-state", ".copilot", files=("*/events.jsonl", "*.jsonl"),
        never="files, checkpoints and plans of a session, logs",
    ),
    Place("copilot", ".copilot/session-store.db", ".copilot"),
    *(
        Place(
            "copilot", f"{editor}/User/workspaceStorage/*/GitHub.copilot-chat/transcripts", f"{editor}/User", "config",
            files=("*.jsonl",), never="debug logs, history of files, state of extensions",
        )
        for editor in ("Code", "Code - Insiders", "VSCodium")
    ),
    Place(
        "copilot", ".vscode-server/data/User/workspaceStorage/*/GitHub.copilot-chat/transcripts", ".vscode-server",
        files=("*.jsonl",),
    ),
)  # fmt: skip
