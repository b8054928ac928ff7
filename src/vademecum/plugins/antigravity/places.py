"""Places where Antigravity stores conversations, as of 2026-11; docs/transcripts.md gives the source of each."""

from vademecum.ports.transcripts import Place

PLACES = (
    *(
        Place(
            "antigravity", f".gemini/{program}/brain/*/.system_generated/logs", ".gemini", files=("*.jsonl",),
            never="artefacts, tasks, plans, recordings, uploads",
        )
        for program in ("antigravity-cli", "antigravity", "antigravity-ide")
    ),
)  # fmt: skip
