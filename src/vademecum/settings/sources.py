"""Settings from their sources: configuration file, environment, command line; what is wrong is named with its source."""

import os
import sys
import tomllib
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import Field, dataclass, fields, replace
from pathlib import Path
from typing import Any

from vademecum.domain.errors import InvalidInput, UnknownWord
from vademecum.settings.definitions import (
    PLUGINS,
    RETIRED,
    Settings,
    absolute,
    accepts,
    bad_value,
    coerced,
    fits,
    row_named,
    rows,
)
from vademecum.settings.places import OTHERS, config_path, device_folder, owner_of, platform_dir, stop_files
from vademecum.settings.process import ENVIRONMENT_PREFIX

#: No file of settings is larger; a device that never ends is not read on.
_CONFIG_MAX_BYTES = 1_000_000
#: Where a value was set; the name of the variable stands before the second, a file is named by its path.
_COMMAND_LINE, _ENVIRONMENT = "the command line", " in the environment"


@dataclass(frozen=True, slots=True)
class Registries:
    """What only adapters know of settings.

    Attributes:
        words: name of a setting -> the words it takes, asked for only when the value is not the default. One that ends with
            ":<model>" stands for all that begin like it and go on.
        transcripts: the environment -> the places of the hosts' conversations that are there.
    """

    words: Mapping[str, Callable[[], Sequence[str]]]
    transcripts: Callable[[Mapping[str, str]], tuple[str, ...]]


def load(
    *,
    config: Path | None = None,
    environment: Mapping[str, str] | None = None,
    overrides: Mapping[str, object] | None = None,
    registries: Registries | None = None,
    forgiving: bool = False,
) -> Settings:
    """Return the settings from all sources.

    Args:
        config: the configuration file; None takes the platform's place. A missing file is no error.
        environment: None takes the process's.
        overrides: from the command line; None values are ignored.
        registries: None: words that only adapters know are not checked, and no conversations are looked for.
        forgiving: for work that must go on (a hook, the helper, `vade status`): what is wrong is left out, the default or the
            stricter value stands in for it, and `wrong` says so.

    Raises:
        InvalidInput: unless forgiving: a file that is no TOML, a value that a setting does not take, a setting that does not exist.
            A plugin's setting in the file is left out, and `wrong` says so, when no installed plugin has it.
    """
    environment = os.environ if environment is None else environment
    values, origins, wrong = _from_all(config, environment, overrides or {})
    unused, retired = _unused(values, origins), _retired(values, origins)
    good = _good(values, origins, registries, wrong)
    if wrong and not forgiving:
        raise (
            wrong[0]
            if len(wrong) == 1
            else InvalidInput(" ".join(invalid_input.message for invalid_input in wrong), "See: vade settings")
        )
    by_key = {"origins": tuple(origins.items()), "wrong": (*(error.message for error in wrong), *unused), "retired": retired}
    return _with_places({**good, **by_key}, environment, config, registries)


def _from_all(
    config: Path | None, environment: Mapping[str, str], overrides: Mapping[str, object]
) -> tuple[dict[str, object], dict[str, str], list[InvalidInput]]:
    """Return what is set, where each value was set, and what is wrong with the file."""
    path = config or config_path(environment)
    values: dict[str, object] = {}
    origins: dict[str, str] = {}
    wrong: list[InvalidInput] = []

    def take(given: Mapping[str, object], origin: Callable[[str], str]) -> None:
        values.update(given)
        origins.update({name: origin(name) for name in given})

    try:
        take(flat(_from_file(path)), lambda _: str(path))
    except InvalidInput as error:
        wrong.append(error)
    take(_from_environment(environment), lambda name: f"{ENVIRONMENT_PREFIX}{name.upper()}{_ENVIRONMENT}")
    if environment.get(ENVIRONMENT_PREFIX + "DISABLED", "") not in ("", "0"):
        take({"enabled": False}, lambda _: f"{ENVIRONMENT_PREFIX}DISABLED{_ENVIRONMENT}")
    take({name: value for name, value in overrides.items() if value is not None}, lambda _: _COMMAND_LINE)
    return values, origins, wrong


def flat(stated: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a configuration file states by the names of settings; of a plugin's the name that no installed one has begins
    with `plugins.`."""
    table = stated.get(PLUGINS, {})
    known = {row.name for row in rows()}
    own = {name: value for name, value in stated.items() if name != PLUGINS or not isinstance(table, dict)}
    return (
        own
        if PLUGINS in own
        else own | {name if name in known or name in RETIRED else f"{PLUGINS}.{name}": table[name] for name in table}
    )


def is_unused(path: Path, name: str) -> bool:
    """Return whether a configuration file sets this name, and it is a former setting, or one of a plugin that is not installed."""
    stated = flat(_from_file(path))
    return f"{PLUGINS}.{name}" in stated or (name in RETIRED and name in stated)


def _unused(values: dict[str, object], origins: dict[str, str]) -> list[str]:
    """Take the settings that no installed plugin has out of the values, and return a sentence for each."""
    unused = [name for name in values if name.startswith(f"{PLUGINS}.")]
    for name in unused:
        del values[name]
    return [f"No installed plugin has the setting {name.partition('.')[2]!r} ({origins.pop(name)})." for name in unused]


def _retired(values: dict[str, object], origins: dict[str, str]) -> tuple[str, ...]:
    """Take former settings out of the values, and return a sentence for each."""
    former = [name for name in values if name in RETIRED]
    for name in former:
        del values[name]
    return tuple(
        f"{name} is no setting any more and is ignored ({origins.pop(name)}). Remove it: vade settings unset {name}"
        for name in former
    )


def _good(
    values: Mapping[str, object], origins: dict[str, str], registries: Registries | None, wrong: list[InvalidInput]
) -> dict[str, object]:
    """Return the values as their types, with what stands in for the bad ones; what is wrong is added to `wrong`."""
    known = {row.name: row for row in rows()}
    good: dict[str, object] = {}
    for name, value in values.items():
        row = known.get(name)
        if row is None:
            unknown = UnknownWord("setting", name, known)
            unknown.message = f"{unknown.message.rstrip('.')} ({origins.pop(name)})."
            wrong.append(unknown)
            continue
        good[name] = coerced(value, row)
        words = _words(row, registries, good[name])
        if good[name] is None or not accepts(row, good[name]) or (words and not any(fits(str(value), word) for word in words)):
            wrong.append(bad_value(row, value, origins.pop(name), words))
            good[name] = row.metadata["instead"]
    return good


def checked_value(name: str, given: object, registries: Registries) -> object:
    """Return a value of one setting as its type, checked as :func:`load` checks it.

    Raises:
        UnknownWord: there is no such setting. InvalidInput: the setting does not take this value.
    """
    row = row_named(name)
    wrong: list[InvalidInput] = []
    good = _good({name: given}, {name: ""}, registries, wrong)
    if wrong:
        raise bad_value(row, given, "", words_of(row, registries))
    return good[name]


def words_of(row: Field[Any], registries: Registries) -> Sequence[str]:
    """Return the words that a setting takes: those of its row, or those that an adapter's registry knows; none for other values."""
    asked = registries.words.get(row.name)
    return asked() if asked else tuple(row.metadata["choices"])


def _words(row: Field[Any], registries: Registries | None, value: object) -> Sequence[str]:
    """Return the words that an adapter's registry knows for a setting; none when it need not be asked."""
    asked = registries.words.get(row.name) if registries and value != row.default else None
    return asked() if asked else ()


#: Setting that restricts, and cannot be brought by a connection -> its stricter value.
_RESTRICTING: Mapping[str, object] = {"enabled": False, "personal_data": "redact"}

#: Settings by which a helper differs from another command.
_OBSERVED = (*_RESTRICTING, "strict_interfaces", "consent", "profile", "embedder", "llm")


def observed(settings: Settings) -> dict[str, object]:
    """Return the settings that decide what a helper tells and keeps, by name, as its status says them."""
    return {name: getattr(settings, name) for name in _OBSERVED}


def looser(other: Mapping[str, object], settings: Settings) -> list[str]:
    """Return the names of what these settings restrict and the other (as :func:`observed` says them) do not."""
    return [name for name, value in _RESTRICTING.items() if getattr(settings, name) == value != other.get(name)]


def pinned_home(settings: Settings) -> str:
    """Return the home when it was named for this process alone, "" when the configuration file names it."""
    origin = dict(settings.origins).get("home", "")
    return settings.home if origin == _COMMAND_LINE or origin.endswith(_ENVIRONMENT) else ""


def _from_file(path: Path) -> dict[str, object]:
    try:
        with path.open("rb") as file:
            raw = file.read(_CONFIG_MAX_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as error:
        raise InvalidInput(f"{path} cannot be read: {error.strerror}.", "Check its permissions, or move it away.") from error
    if len(raw) > _CONFIG_MAX_BYTES:
        raise InvalidInput(f"{path} is no configuration file: it holds more than 1 MB.", "Move it away, or name another file.")
    try:
        return dict(tomllib.loads(raw.decode("utf-8-sig")))
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise InvalidInput(f"{path} is not valid TOML: it is not UTF-8 (at line {line}).", "Save it as UTF-8.") from error
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise InvalidInput(f"{path} is not valid TOML: {error}.", "Correct the line, or move the file away.") from error


def no_memory(settings: Settings) -> InvalidInput:
    """Return the error for settings that name no memory: there is none, or the file that names it cannot be read."""
    if settings.wrong:
        told = " ".join(settings.wrong)
        return InvalidInput(
            f"The file that says where your memory is cannot be read: {told}", "Correct that file; your memory is unchanged."
        )
    return InvalidInput(
        "There is no memory yet.", "Make one and connect your AI tools: vade setup (or only the memory: vade init FOLDER)"
    )


def _from_environment(environment: Mapping[str, str]) -> dict[str, object]:
    by_key = {row.name: environment.get(ENVIRONMENT_PREFIX + row.name.upper()) for row in rows()}
    return {name: value for name, value in by_key.items() if value is not None}


def _with_places(
    values: dict[str, Any], environment: Mapping[str, str], config: Path | None, registries: Registries | None
) -> Settings:
    """Return settings with the empty places filled: with the platform's, and with the folder that this home's data have."""
    base = device_folder(values.get("data_dir") or platform_dir("data", environment))
    values["data_dir"] = str(_data_folder(base, values.get("home", ""), environment, config))
    values["cache_dir"] = values.get("cache_dir") or platform_dir("cache", environment)
    values["transcripts"] = values.get("transcripts") or (registries.transcripts(environment) if registries else ())
    values["llm_key"] = values.get("llm_key") or _usual_key(values, environment)
    values["device"] = values.get("device") or _host_name().split(".")[0] or "device"
    own = {row.name for row in fields(Settings)}
    of_plugins = tuple((name, value) for name, value in values.items() if name not in own)
    settings = Settings(**{name: value for name, value in values.items() if name in own}, of_plugins=of_plugins)
    return replace(settings, enabled=settings.enabled and not any(mark.exists() for mark in stop_files(settings)))


def _data_folder(base: Path, home: str, environment: Mapping[str, str], config: Path | None) -> Path:
    """Return where the data of a home lie: in `base` when that is its own, else in a folder of its own beside it.

    Not below it, because what is erased or searched in one memory's data must never reach another's."""
    real = os.path.realpath(home) if home else ""
    if not home or (owner_of(base) or _first_owner(base, environment, config) or real) == real:
        return base
    mark = f"{zlib.crc32(os.fsencode(real)):08x}"
    return base.with_name(base.name + OTHERS) / f"{Path(real).name}-{mark}"


def _first_owner(base: Path, environment: Mapping[str, str], config: Path | None) -> str:
    """Return the home to which data without a mark belong, as those of earlier versions: the configured one, "" for none.

    The platform's folder belongs to the home of the platform's configuration file, whatever file is used now."""
    usual = config_path(environment)
    paths = [usual] if str(base) == platform_dir("data", environment) else []
    for path in (*paths, config or usual):
        try:
            named = str(_from_file(path).get("home", ""))
        except InvalidInput:
            continue
        if named and (home := absolute(named)):
            return os.path.realpath(home)
    return ""


def _host_name() -> str:
    """Return the host's name, as `platform.node` says; that module takes a millisecond to load, which a hook without a helper waits for."""
    if sys.platform == "win32":
        return os.environ.get("COMPUTERNAME", "")
    return os.uname().nodename


#: Service -> variable in which its own programs look for a key.
_USUAL_KEYS = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY"}


def _usual_key(values: Mapping[str, object], environment: Mapping[str, str]) -> str:
    """Return the key that the environment has for the model's service. It is not shown to any other address than the service's own."""
    service = str(values.get("llm", "")).partition(":")[0]
    if values.get("llm_url") or service not in _USUAL_KEYS:
        return ""
    return environment.get(_USUAL_KEYS[service], "")
