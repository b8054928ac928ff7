"""Places where pi stores conversations, as of 2026-11; docs/transcripts.md gives the source of each."""

from vademecum.ports.transcripts import Place

PLACES = (
    Place(
        "pi", ".pi/agent/sessions", ".pi", files=("**/*.jsonl",), side=("*/*/*/run-*/**/*.jsonl", "*/*/subagent-artifacts/**/*.jsonl"),
        variable="PI_CODING_AGENT_DIR", below="sessions", title="pi",
    ),
    Place(
        "pi", ".pi/agent/sessions", ".pi", files=("**/*.jsonl",), side=("*/*/*/run-*/**/*.jsonl", "*/*/subagent-artifacts/**/*.jsonl"),
        variable="PI_CODING_AGENT_SESSION_DIR", below=".",
    ),
)  # fmt: skip
