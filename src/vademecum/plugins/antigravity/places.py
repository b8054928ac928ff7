"""Where Antigravity keeps conversations, as of 2026-11; docs/transcripts.md tells where each comes from."""

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
