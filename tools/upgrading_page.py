"""docs/upgrading.md: its last section lists the settings that are gone, and is made from the code."""

from pathlib import Path

from vademecum.settings.definitions import RETIRED
from wrapping import wrapped

PAGE = Path(__file__).parent.parent / "docs" / "upgrading.md"
TITLE = "## Settings that are gone"

_OF_A_SERVER = ("certificate", "database", "host", "key", "owner", "port")

#: Setting that is gone -> what holds now.
NOW_FIXED = {
    "backup_passphrase": "the environment variable `VADEMECUM_BACKUP_PASSPHRASE`, or `--passphrase-file`",
    "project_docs": "PRODUCT.md, TECH.md, IMPROVEMENT.md and PROJECT.md",
    **{f"team_{what}": f"the environment variable `VADEMECUM_TEAM_{what.upper()}` of the server" for what in _OF_A_SERVER},
    "background_percent": "vectors are made with one processor at low priority",
    "guard_allow_file": "`guard_allow` holds the entries",
    "helper_idle_minutes": "the helper ends after 120 minutes without use",
    "helper_memory_mb": "the helper starts again when it takes more than 600 MB",
    "llm_daily_output_tokens": "models write at most a fifth of `llm_daily_input_tokens`",
    "llm_input_price": "a program says what it cost",
    "llm_output_price": "a program says what it cost",
    "llm_key_command": "`llm_key` takes `!` and the command",
    "memory_tool": "Anthropic's tool `memory` is gone",
    "research_hosts": "only the host of `research_search` is read in a private network",
    "retention_day_notes": "`retention` takes `day_notes=DAYS`",
    "retention_events": "`retention` takes `events=DAYS`",
    "retention_memories": "`retention` takes `memories=NUMBER`",
    "llm_prices": "a program says what it cost",
    "hold_for_branches": "what is learned on a branch is shown on that branch until it is merged",
    "llm_timeout_s": "an answer of the model is waited for 120 seconds",
    "min_turns": "sessions with fewer than 4 spoken turns: only what is said outright is saved",
    "personal_classes": "`personal_data` applies to email, phone, card and iban",
    "progress": "a progress line is shown when something takes longer than a second",
    "prompt_deadline_ms": "a prompt waits at most 250 ms for memory",
    "prompt_tokens": "a prompt is shown at most 1,200 tokens",
    "recall_limit": "`profile` says how many memories are recalled",
    "recall_tokens": "`profile` says how many tokens are recalled",
    "second_process_mb": "20 MB or more to read at once are read by a second process",
    "silence_minutes": "a session without a turn for 60 minutes counts as ended",
}


def upgrading_page() -> str:
    """Return docs/upgrading.md: what people wrote, and the settings that are gone."""
    head = PAGE.read_text(encoding="utf-8").partition(TITLE)[0]
    lines = [
        TITLE,
        "",
        "These settings are gone. A `config.toml` that names one still works; `vade doctor` prints the command that removes the line.",
        "",
        "| setting | now |",
        "|---|---|",
        *(f"| `{name}` | {NOW_FIXED[name]} |" for name in sorted(RETIRED)),
    ]
    return head + wrapped("\n".join(lines) + "\n")
