"""Settings together with the adapters: allowed words, configuration files, the policy of the guard."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from vademecum import settings as settings_module
from vademecum.domain.errors import files_explained
from vademecum.domain.guarding import PERSONAL, USUAL, Policy
from vademecum.guard import Guard, Verdict
from vademecum.settings import Settings
from vademecum.wiring.late import late


def load_settings(
    *, config: Path | None = None, overrides: Mapping[str, object] | None = None, forgiving: bool = False
) -> Settings:
    """Load the settings from all sources and check them with the registries of adapters too: see :func:`vademecum.settings.load`."""
    return settings_module.load(config=config, overrides=overrides, registries=registries(), forgiving=forgiving)


def store_settings(path: Path, values: Mapping[str, object]) -> None:
    """Write settings to a configuration file, None to remove one: see :func:`vademecum.adapters.device.config_file.store`.

    Raises:
        InvalidInput: the file is not valid TOML. FileUnusable: it cannot be read or written.
    """
    from vademecum.adapters.device.config_file import store

    with files_explained():
        store(path, values)


def settings_changed(path: Path, values: Mapping[str, object]) -> tuple[str, str]:
    """Return the text of a configuration file, and its text with these settings."""
    from vademecum.adapters.device.config_file import changed

    return changed(path, {}), changed(path, values)


def registries() -> settings_module.Registries:
    """Return the registries of adapters that check settings."""
    words = {"embedder": _embedder_names, "llm": late("adapters.llms", "names"), "profile": late("recall.rankers", "rankers")}
    return settings_module.Registries(words, late("adapters.hosts.places", "found_places"))


def _embedder_names() -> Sequence[str]:
    from vademecum.adapters.embedders import names
    from vademecum.wiring.models import services_of_plugins

    added = services_of_plugins()
    return (*names(), *(f"{service}:<model>" for service in added), *added)


def judge_outside(text: str) -> Verdict:
    """Return the verdict of the guard on a text from outside."""
    return Guard(USUAL).judge(text, trust="external")


def policy_of(settings: Settings) -> Policy:
    """Return the policy of the guard from the settings."""
    personal = frozenset(PERSONAL) if settings.personal_data == "redact" else frozenset()
    return Policy(personal, frozenset(settings.guard_allow))


def languages_of(embedder: str) -> str:
    """Return the languages of an embedder; "" if unknown."""
    from vademecum.adapters.embedders import LANGUAGES

    return LANGUAGES.get(embedder, "")
