"""Places where Kiro stores conversations, as of 2026-11; docs/transcripts.md gives the source of each."""

from vademecum.ports.transcripts import Place

PLACES = (
    Place(
        "kiro", ".kiro/sessions", ".kiro", files=("cli/*.jsonl", "cli/*.json", "*.jsonl", "*.json", "*/*/messages.jsonl"),
        side=("*/*/sub-executions/*.jsonl",), variable="KIRO_HOME", below="sessions", title="Kiro", description=(".json", ".jsonl"),
    ),
    Place("kiro", "kiro-cli/data.sqlite3", "kiro-cli", "data"),
    Place("kiro", "Kiro/workspace-sessions", "Kiro", "config", files=("**/*.json",)),
    Place(
        "kiro", "Kiro/User/globalStorage/kiro.kiroagent/workspace-sessions", "Kiro", "config", files=("**/*.json",),
    ),
)  # fmt: skip
