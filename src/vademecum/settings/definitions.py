"""The settings: each field is one row with default, meaning, unit and check."""

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import Field, dataclass, field, fields
from functools import cache
from typing import Any, Literal, NamedTuple, get_args

from vademecum.domain.errors import InvalidInput, UnknownWord
from vademecum.domain.places import expanded
from vademecum.domain.verdict import ReviewMode
from vademecum.plugin import setting_rows

#: Separator of a list given as one text; the colon after `sha256` does not separate.
_APART = rf"(?<!sha256){re.escape(os.pathsep)}"

ConsentMode = Literal["interactive", "silent", "auto"]

PersonalMode = Literal["off", "redact"]

HandoffForm = Literal["full", "short"]

GitCommit = Literal["off", "session", "day"]

SectionCaps = Literal["warn", "archive"]

LogLevel = Literal["debug", "info", "warning", "error"]

#: The daily limit of tokens that models write is their limit of tokens read, divided by this.
WRITTEN_OF_READ = 5

#: Default of `instead`: a bad value is replaced by the row's default.
_DEFAULT = object()

PORT_MAX = 65_535

#: Table of the configuration file that holds the settings of plugins.
PLUGINS = "plugins"

#: Entry of the guard's allow-list: (pattern, description).
_ALLOWED = (r"(?!sha256:).*|sha256:[0-9a-f]{64}", "ids of rules, values, or sha256: and 64 of the digits 0-9, a-f")


class Takes(NamedTuple):
    """Which values a setting takes, beside their type.

    Attributes:
        choices: accepted words; for a list, each entry must be one of them.
        least, most: bounds of a number, both inclusive; `most` None: no upper bound.
        shape: (pattern that a word, or each entry of a list, matches in full; its description).
    """

    choices: tuple[str, ...] = ()
    least: float = 0
    most: float | None = None
    shape: tuple[str, str] | None = None


_ANY = Takes()


def _row(default: object, meaning: str, unit: str = "", takes: Takes = _ANY, *, instead: object = _DEFAULT) -> Any:
    """Return a setting.

    Args:
        meaning: a short title, a colon, and its effect in one sentence.
        unit: of a number.
        instead: replaces a bad value where work must go on; for a setting that restricts, the stricter value.
    """
    about = {"meaning": meaning, "unit": unit, **takes._asdict()}
    return field(default=default, metadata={**about, "instead": default if instead is _DEFAULT else instead})


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings. Each field is one row of docs/settings.md."""

    home: str = _row("", "Memory folder: holds the personal memories. `vade init` sets it.", "path")
    vault: str = _row(
        "", "Vault of notes: the Obsidian vault around it, whose notes are indexed and never changed. Empty: none.", "path"
    )
    projects: tuple[str, ...] = _row((), "Memory folders of projects: read beside the one of the working folder.", "paths")
    data_dir: str = _row(
        "", "State of this device: index, journals of reading, locks. Empty: the usual folder of the platform.", "path"
    )
    cache_dir: str = _row("", "Cache: vectors that can be computed again. Empty: the usual folder of the platform.", "path")
    device: str = _row(
        "", "Name of this device: in journals; the first start adds four random characters. Empty: the host name."
    )
    enabled: bool = _row(
        True, "Memory on or off: when false, nothing is captured, shown to agents or written. You can still read it."
    )
    consent: ConsentMode = _row(
        "interactive",
        "Writes outside the memory folder: interactive asks, silent allows, auto refuses.",
        takes=Takes(choices=get_args(ConsentMode)),
    )
    embedder: str = _row("use", "Embedder: what turns text into vectors: use, none, openai:<model>, ollama:<model>, ...")
    embedder_url: str = _row("", "Address of the embedder: of an OpenAI-compatible or Ollama endpoint.", "URL")
    embedder_key: str = _row("", "Key of the embedder: better set in the environment than in a file.", "secret")
    profile: str = _row("auto", "Recall profile: auto, vault, swarm, agent, facts, wiki, wiki-quick, wiki-deep.")
    briefing_tokens: int = _row(2000, "Size of the briefing: maximum tokens shown at the start of a session.", "tokens")
    prompt_limit: int = _row(5, "Memories at a prompt: how many are shown at most.", "memories")
    hook_deadline_ms: int = _row(
        500,
        "Patience of hooks: how long one waits for an answer; three times as long while the helper starts."
        " It takes effect with the next `vade install`.",
        "milliseconds",
        takes=Takes(least=1),
    )
    measure_benefit: bool = _row(
        False,
        "Measure the benefit: one memory in five is left out of a conversation at random, so that"
        " `vade benefit` can say whether showing memories"
        " helps. Never rules, warnings, or what you had to say three times.",
    )
    port: int = _row(
        8233,
        "Port of the helper: where it serves HTTP on this machine, or the next free one of ten. 0: none.",
        takes=Takes(most=PORT_MAX),
    )
    log_level: LogLevel = _row(
        "info", "Log level: what the helper logs: debug, info, warning or error.", takes=Takes(choices=get_args(LogLevel))
    )
    transcripts: tuple[str, ...] = _row(
        (),
        "Places of conversations: folders and databases where AI tools store them. Empty: those of every installed tool.",
        "paths",
    )
    review_mode: ReviewMode = _row(
        "interactive",
        "Uncertain memories: interactive asks you, auto puts them into the inbox, silent drops them.",
        takes=Takes(choices=get_args(ReviewMode)),
    )
    auto_interfaces: tuple[str, ...] = _row(
        ("claude-ai", "claude-code", "codex", "gemini", "cursor", "vscode", "antigravity", "opencode"),
        "Trusted tools: conversations that their agents save are read at once; those of others wait for your confirmation.",
    )
    strict_interfaces: bool = _row(
        False, "Separate tools: an agent must name its tool and sees only memories from that tool.", instead=True
    )
    mcp_tools: tuple[str, ...] = _row(
        (),
        "Tools of MCP: those listed beside the usual six: all, or none.",
    )
    personal_data: PersonalMode = _row(
        "off",
        "Personal data in saved text: off saves it, redact replaces it by a placeholder.",
        takes=Takes(choices=get_args(PersonalMode)),
        instead="redact",
    )
    guard_allow: tuple[str, ...] = _row(
        (),
        "Exceptions of the guard: ids of rules, exact values, or sha256: and the hash of a value.",
        takes=Takes(shape=_ALLOWED),
    )
    archive: bool = _row(
        True, "Archive of transcripts: they are kept word for word, without secrets, before their tool deletes them."
    )
    archive_mb: int = _row(
        0, "Size of the archive: at most; when it is full, nothing new is archived, and doctor says so. 0: no limit.", "MB"
    )
    archive_days: int = _row(
        0,
        "Age of the archive: what is unchanged for so long leaves it, and search once its tool deleted it. 0: never.",
        "days",
    )
    handoff_form: HandoffForm = _row(
        "full",
        "Form of handoffs: full, or short for three lines (requested, done, last message).",
        takes=Takes(choices=get_args(HandoffForm)),
    )
    transcript_tags: bool = _row(False, "Tags for what comes from conversations: autoextract or autohandoff, and transcript.")
    research: bool = _row(
        False, "Research on the web: `vade idea research` may look things up on the web; nothing else ever does."
    )
    research_search: str = _row(
        "",
        "Search service: such as https://searx.example/search (JSON, as SearXNG). Empty: only named pages. Its host is read also"
        " in a private network, no other host there is.",
        "URL",
    )
    section_caps: SectionCaps = _row(
        "warn",
        "Long sections: of more lessons or events than the limit (25, 30), warn reports it, archive archives the least used."
        " Decisions, incidents and tasks are only reported.",
        takes=Takes(choices=get_args(SectionCaps)),
    )
    git_commit: GitCommit = _row(
        "off",
        "Commits: in a git repository, session commits the memory folder after each session, day once a day. Nothing else is"
        " committed, and nothing is pushed.",
        takes=Takes(choices=get_args(GitCommit)),
    )
    llm: str = _row(
        "none",
        "Reader: the language model that reads conversations beside the patterns: none, openai:<model> (any compatible endpoint),"
        " ollama:<model>, anthropic:<model>, claude-cli, codex-cli.",
    )
    llm_url: str = _row("", "Address of the reader: its endpoint. Empty: the service's own.", "URL")
    llm_key: str = _row(
        "",
        "Key of the reader: itself, or ! and a command that prints it, such as `!secret-tool lookup service vademecum`. Empty,"
        " for the service's own address: OPENAI_API_KEY or ANTHROPIC_API_KEY of the environment.",
        "secret",
    )
    llm_auto: bool = _row(
        True,
        "Read conversations unasked: if false, the model reads one only when somebody asks for it (`vade agent mark`).",
    )
    llm_exclude: tuple[str, ...] = _row(
        (), "Projects without a reader: no model reads their conversations. `vade reader exclude` writes them."
    )
    llm_daily_input_tokens: int = _row(
        400_000, "Tokens of the reader: how many it reads in a day at most; it writes at most a fifth as many.", "tokens"
    )
    #: Not settings, but facts about them: (name, origin) of each value that was set, a sentence for each bad value, and a
    #: sentence for each retired setting in the file.
    origins: tuple[tuple[str, str], ...] = ()
    wrong: tuple[str, ...] = ()
    retired: tuple[str, ...] = ()
    #: Value of `enabled` where no file STOP is.
    enabled_without_stop: bool = True
    #: (name, value) of plugin settings that were set.
    of_plugins: tuple[tuple[str, object], ...] = ()

    def __post_init__(self) -> None:
        for row in rows():
            if not accepts(row, self.value(row.name)):
                raise bad_value(row, self.value(row.name), "")

    def value(self, name: str) -> Any:
        """Return the value of a setting, built-in or of a plugin.

        Raises:
            UnknownWord: no setting has that name.
        """
        if name in _own_names():
            return getattr(self, name)
        return dict(self.of_plugins).get(name, row_named(name).default)


@cache
def _own_names() -> frozenset[str]:
    return frozenset(row.name for row in fields(Settings) if row.metadata)


@cache
def rows() -> tuple[Field[Any], ...]:
    """Return the settings in order, those of plugins last. The metadata of each are the arguments of :func:`_row`."""
    own = tuple(row for row in fields(Settings) if row.metadata)
    return (*own, *setting_rows(row.name for row in fields(Settings)))


def plugin_rows() -> tuple[Field[Any], ...]:
    """Return the settings of the installed plugins."""
    return tuple(row for row in rows() if row.name not in _own_names())


def in_file(name: str, value: object) -> dict[str, object]:
    """Return the entries of the configuration file for a setting, key -> value; None: the key must be absent.

    A plugin's setting is stored as `plugins.NAME`, so that it is still recognised after the plugin was removed.
    """
    return {name: value} if name in _own_names() else {name: None, f"{PLUGINS}.{name}": value}


def fits(value: str, word: str) -> bool:
    """Return whether a value matches a word of a registry, such as "ollama:<model>"."""
    begin = word.removesuffix("<model>")
    return value == word if begin == word else value.startswith(begin) and value != begin


def accepts(row: Field[Any], value: object) -> bool:
    """Return whether a value, already of the right type, is valid for the setting."""
    about = row.metadata
    if isinstance(value, bool):
        return True
    if isinstance(value, int | float):
        return bool(about["least"] <= value and (about["most"] is None or value <= about["most"]))
    words = value if isinstance(value, tuple) else (value,)
    if about["shape"] and not all(re.fullmatch(about["shape"][0], word) for word in words):
        return False
    return not about["choices"] or all(word in about["choices"] for word in words)


def bad_value(row: Field[Any], value: object, origin: str, words: Sequence[str] = ()) -> InvalidInput:
    """Return the error with name, value, origin, and valid values of a setting."""
    where = f" ({origin})" if origin else ""
    text = f"Setting {row.name} is {value!r}{where}; it takes {takes(row, words)}."
    hint = "Correct it there; vade settings shows where each value is from." if origin else ""
    known = words or row.metadata["choices"]
    error = UnknownWord(f"value of {row.name}", str(value), known) if known else InvalidInput(text, hint)
    error.args, error.message, error.hint = (text,), text, hint
    return error


def takes(row: Field[Any], words: Sequence[str] = ()) -> str:
    """Return the valid values of a setting, as text.

    Args:
        words: those known to an adapter's registry.
    """
    about = row.metadata
    if isinstance(row.default, bool):
        return "true or false"
    if isinstance(row.default, int | float):
        number = "a whole number" if isinstance(row.default, int) else "a number"
        return f"{number} from {about['least']} to {about['most']}" if about["most"] else f"{number}, at least {about['least']}"
    choices = about["shape"][1] if about["shape"] else ", ".join(words or about["choices"])
    if isinstance(row.default, tuple):
        return f"a list of: {choices}" if choices else "a list"
    return choices or "text"


def coerced(value: object, row: Field[Any]) -> object:
    """Return `value` converted to the type of the setting, from text as in a shell; None if it does not convert."""
    if isinstance(row.default, bool):
        return _as_bool(value)
    if isinstance(row.default, int | float):
        try:
            return type(row.default)(str(value))
        except ValueError:
            return None
    if isinstance(row.default, tuple):
        parts = re.split(_APART, value) if isinstance(value, str) else value
        listed = parts if isinstance(parts, list | tuple) else [None]
        are_texts = all(isinstance(part, str | os.PathLike) for part in listed)
        return tuple(str(part) for part in listed if str(part)) if are_texts else None
    if not isinstance(value, str | os.PathLike):
        return None
    return absolute(str(value)) if row.metadata["unit"] == "path" and value else str(value)


def absolute(place: str) -> str | None:
    """Return the absolute path; None if it names the home of an unknown user."""
    try:
        return str(expanded(place).absolute())
    except InvalidInput:
        return None


def _as_bool(value: object) -> bool | None:
    word = str(value).strip().lower()
    if word in ("1", "true", "yes", "on"):
        return True
    return False if word in ("0", "false", "no", "off", "") else None


#: Retired settings, which may be removed from a file: their value is now fixed, or follows from another setting.
RETIRED = frozenset(
    "background_percent recall_limit recall_tokens hold_for_branches prompt_deadline_ms prompt_tokens helper_idle_minutes"
    " helper_memory_mb min_turns personal_classes guard_allow_file second_process_mb silence_minutes llm_timeout_s"
    " progress project_docs backup_passphrase team_database team_owner team_host team_port team_certificate team_key"
    " memory_tool research_hosts llm_key_command llm_daily_output_tokens llm_input_price llm_output_price retention_day_notes"
    " retention_events retention_memories llm_prices".split()
)
#: Settings that a person may want to change in the first weeks; the settings page lists them first.
EVERYDAY = frozenset(
    "home vault projects enabled consent review_mode embedder llm personal_data guard_allow strict_interfaces archive_mb"
    " briefing_tokens".split()
)

#: Title of a group -> its settings, in the order of the settings page. Each built-in setting is in exactly one group.
GROUPS: Mapping[str, tuple[str, ...]] = {
    title: tuple(names.split())
    for title, names in {
        "Memory": "home vault projects enabled consent review_mode personal_data guard_allow section_caps git_commit",
        "What agents are shown": "briefing_tokens prompt_limit strict_interfaces mcp_tools measure_benefit",
        "Search": "profile embedder embedder_url embedder_key",
        "Conversations": "transcripts auto_interfaces handoff_form transcript_tags archive archive_mb archive_days",
        "Reader (language model)": "llm llm_url llm_key llm_auto llm_exclude llm_daily_input_tokens",
        "Research on the web": "research research_search",
        "Helper and this device": "device data_dir cache_dir port hook_deadline_ms log_level",
    }.items()
}


def groups() -> Mapping[str, tuple[str, ...]]:
    """Return `GROUPS`, with one more for the settings of plugins."""
    added = tuple(row.name for row in plugin_rows())
    return {**GROUPS, "Plugins": added} if added else GROUPS


def row_named(name: str) -> Field[Any]:
    """Return a setting.

    Raises:
        UnknownWord: no setting has that name.
    """
    known = _by_name()
    if name not in known:
        raise UnknownWord("setting", name, known)
    return known[name]


@cache
def _by_name() -> Mapping[str, Field[Any]]:
    return {row.name: row for row in rows()}
