"""Settings from configuration file, environment and command line; errors name the source of the value."""

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

#: Maximum size of a configuration file; also stops reading from an endless device.
_CONFIG_MAX_BYTES = 1_000_000
#: Where a value was set. The variable's name precedes the second; a file is named by its path.
_COMMAND_LINE, _ENVIRONMENT = "the command line", " in the environment"


@dataclass(frozen=True, slots=True)
class Registries:
    """Facts about settings that only adapters know.

    Attributes:
        words: name of a setting -> function that returns its words, called only if the value is not the default. A word that
            ends in ":<model>" matches all values with that prefix.
        transcripts: environment -> existing places of the hosts' conversations.
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
        config: the configuration file; None: the platform's place. A missing file is no error.
        environment: None: the process's.
        overrides: from the command line; None values are ignored.
        registries: None: words known only to adapters are not checked, and conversations are not looked for.
        forgiving: for work that must go on (a hook, the helper, `vade status`): a bad value is replaced by the default or the
            stricter value, and reported in `wrong`.

    Raises:
        InvalidInput: unless forgiving: invalid TOML, an invalid value, an unknown setting. A plugin's setting in the file that
            no installed plugin has is left out and reported in `wrong`.
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
    """Return the values, their origins, and the errors of the file."""
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
    """Return the entries of a configuration file by setting name.

    Plugin settings without an installed plugin get the prefix `plugins.`.
    """
    table = stated.get(PLUGINS, {})
    known = {row.name for row in rows()}
    own = {name: value for name, value in stated.items() if name != PLUGINS or not isinstance(table, dict)}
    return (
        own
        if PLUGINS in own
        else own | {name if name in known or name in RETIRED else f"{PLUGINS}.{name}": table[name] for name in table}
    )


def is_unused(path: Path, name: str) -> bool:
    """Return whether the file sets this name and it is retired, or belongs to a plugin that is not installed."""
    stated = flat(_from_file(path))
    return f"{PLUGINS}.{name}" in stated or (name in RETIRED and name in stated)


def _unused(values: dict[str, object], origins: dict[str, str]) -> list[str]:
    """Remove settings of plugins that are not installed from the values; return a sentence for each."""
    unused = [name for name in values if name.startswith(f"{PLUGINS}.")]
    for name in unused:
        del values[name]
    return [f"No installed plugin has the setting {name.partition('.')[2]!r} ({origins.pop(name)})." for name in unused]


def _retired(values: dict[str, object], origins: dict[str, str]) -> tuple[str, ...]:
    """Remove retired settings from the values; return a sentence for each."""
    sentences = []
    for name in [name for name in values if name in RETIRED]:
        del values[name]
        origin = origins.pop(name)
        sentences.append(f"{name} is no setting any more and is ignored ({origin}). Remove it: vade settings unset {name}")
    return tuple(sentences)


def _good(
    values: Mapping[str, object], origins: dict[str, str], registries: Registries | None, wrong: list[InvalidInput]
) -> dict[str, object]:
    """Return the values converted, bad ones replaced; errors are appended to `wrong`."""
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
    """Return a value of one setting, converted and checked as by :func:`load`.

    Raises:
        UnknownWord: no setting has that name.
        InvalidInput: the value is not valid for it.
    """
    row = row_named(name)
    wrong: list[InvalidInput] = []
    good = _good({name: given}, {name: ""}, registries, wrong)
    if wrong:
        raise bad_value(row, given, "", words_of(row, registries))
    return good[name]


def words_of(row: Field[Any], registries: Registries) -> Sequence[str]:
    """Return the words that a setting accepts, from its row or an adapter's registry; empty if it has none."""
    asked = registries.words.get(row.name)
    return asked() if asked else tuple(row.metadata["choices"])


def _words(row: Field[Any], registries: Registries | None, value: object) -> Sequence[str]:
    """Return the words of an adapter's registry for a setting; empty if there is no need to check."""
    asked = registries.words.get(row.name) if registries and value != row.default else None
    return asked() if asked else ()


#: Restricting settings that a single connection cannot change -> the stricter value.
_RESTRICTING: Mapping[str, object] = {"enabled": False, "personal_data": "redact"}

#: Settings in which a helper may differ from another command.
_OBSERVED = (*_RESTRICTING, "strict_interfaces", "consent", "profile", "embedder", "llm")


def observed(settings: Settings) -> dict[str, object]:
    """Return the settings that decide what a helper shows and saves, by name, as in its status."""
    return {name: getattr(settings, name) for name in _OBSERVED}


def looser(other: Mapping[str, object], settings: Settings) -> list[str]:
    """Return the names of restrictions in these settings that the other ones (in the form of :func:`observed`) lack."""
    return [name for name, value in _RESTRICTING.items() if getattr(settings, name) == value != other.get(name)]


def pinned_home(settings: Settings) -> str:
    """Return the home if it was set for this process alone; "" if the configuration file sets it."""
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
    """Return the error for settings without a memory: none was created, or the file that names it cannot be read."""
    if settings.wrong:
        problems = " ".join(settings.wrong)
        return InvalidInput(
            f"The file that says where your memory is cannot be read: {problems}",
            "Correct that file; your memory is unchanged.",
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
    """Return settings with empty places filled: platform folders, and the data folder of this home."""
    base = device_folder(values.get("data_dir") or platform_dir("data", environment))
    values["data_dir"] = str(_data_folder(base, values.get("home", ""), environment, config))
    values["cache_dir"] = values.get("cache_dir") or platform_dir("cache", environment)
    values["transcripts"] = values.get("transcripts") or (registries.transcripts(environment) if registries else ())
    values["llm_key"] = values.get("llm_key") or _usual_key(values, environment)
    values["device"] = values.get("device") or _host_name().split(".")[0] or "device"
    own = {row.name for row in fields(Settings)}
    of_plugins = tuple((name, value) for name, value in values.items() if name not in own)
    settings = Settings(**{name: value for name, value in values.items() if name in own}, of_plugins=of_plugins)
    stopped = any(mark.exists() for mark in stop_files(settings))
    return replace(settings, enabled=settings.enabled and not stopped, enabled_without_stop=settings.enabled)


def _data_folder(base: Path, home: str, environment: Mapping[str, str], config: Path | None) -> Path:
    """Return the data folder of a home: `base` if that belongs to it, else a separate folder beside it.

    It is not below `base`, because erasing or searching one memory's data must never reach another's.
    """
    real = os.path.realpath(home) if home else ""
    if not home or (owner_of(base) or _first_owner(base, environment, config) or real) == real:
        return base
    mark = f"{zlib.crc32(os.fsencode(real)):08x}"
    return base.with_name(base.name + OTHERS) / f"{Path(real).name}-{mark}"


def _first_owner(base: Path, environment: Mapping[str, str], config: Path | None) -> str:
    """Return the home to which unmarked data of earlier versions belong: the configured one, or "".

    The platform's data folder belongs to the home of the platform's configuration file, whichever file is used now.
    """
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
    """Return the host's name, like `platform.node`.

    That module takes a millisecond to load, which delays a hook without a helper.
    """
    if sys.platform == "win32":
        return os.environ.get("COMPUTERNAME", "")
    return os.uname().nodename


#: Service -> variable in which its own programs look for a key.
_USUAL_KEYS = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY"}


def _usual_key(values: Mapping[str, object], environment: Mapping[str, str]) -> str:
    """Return the key from the environment for the model's service. It is sent only to the service's own address."""
    service = str(values.get("llm", "")).partition(":")[0]
    if values.get("llm_url") or service not in _USUAL_KEYS:
        return ""
    return environment.get(_USUAL_KEYS[service], "")
