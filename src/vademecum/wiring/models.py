"""Builds embedders and language models from settings."""

from __future__ import annotations

import time
from functools import cache, cached_property, lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from vademecum.domain.errors import EmbedderUnavailable, UnknownWord
from vademecum.settings import environment, environment_of_model
from vademecum.settings.definitions import WRITTEN_OF_READ
from vademecum.wiring.late import late
from vademecum.wiring.stores import VECTORS_NAME

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from vademecum.context.context import Models, Storage
    from vademecum.domain.llm import ReaderChoice, StrongerModel
    from vademecum.plugin import EmbedderService
    from vademecum.ports.clock import Clock
    from vademecum.ports.embedder import Embedder
    from vademecum.ports.llm import LLM, Ledger
    from vademecum.settings import Settings


#: Timeout of the language model, in seconds.
LLM_TIMEOUT_S = 120


def models_of(settings: Settings, storage: Storage, clock: Clock) -> Models:
    """Return the embedder and the language model, each opened with its first use."""
    from vademecum.context.context import Models

    embedder, missing = _embedder(settings)
    return Models(
        embedder,
        open_questions=cache(late("recall.questions", "Questions")),
        missing=missing,
        llm_name="" if settings.llm == "none" else settings.llm,
        llm_mark=_mark_of(settings) if settings.llm != "none" else "",
        readers=_reading_programs,
        all_readers=readers_here,
        open_llm=lambda: _llm(settings, clock, storage.ledger),
    )


def _reading_programs() -> tuple[ReaderChoice, ...]:
    from vademecum.adapters.llms.readers import programs

    return programs(environment())


def readers_here() -> tuple[ReaderChoice, ...]:
    """Return the available readers of conversations on this machine, the one to offer first."""
    from vademecum.adapters.llms.readers import readers

    return readers(environment())


def stronger_model(llm: str) -> StrongerModel | None:
    """Return the stronger model to offer for a value of the setting `llm`; None if there is none."""
    from vademecum.adapters.llms.readers import stronger

    return stronger(llm)


def usual_model(llm: str) -> str:
    """Return the default model for a value of the setting `llm`; "" if the value names a model, or its program chooses one."""
    from vademecum.adapters.llms import SERVICES

    service, _, named = llm.partition(":")
    return "" if named or service not in SERVICES else SERVICES[service][2] or ""


def _llm(settings: Settings, clock: Clock, ledger: Ledger) -> LLM | None:
    """Return the language model, within the daily limits.

    Raises:
        InvalidInput: there is no such model.
    """
    from vademecum.adapters.llms import Options, create
    from vademecum.adapters.llms.api_keys import key_from
    from vademecum.adapters.llms.metered import metered
    from vademecum.domain.llm import Limits

    options = Options(
        url=settings.llm_url,
        api_key=key_from(settings.llm_key[1:]) if settings.llm_key.startswith("!") else (lambda: settings.llm_key),
        timeout_s=LLM_TIMEOUT_S,
        sleep=time.sleep,
        metered=metered(settings.llm, ledger, clock, Limits(*daily_tokens(settings))),
        environment=environment_of_model(),
    )
    return create(settings.llm, options)


def daily_tokens(settings: Settings) -> tuple[int, int]:
    """Return how many tokens models may read in a day, and how many they may write."""
    return settings.llm_daily_input_tokens, settings.llm_daily_input_tokens // WRITTEN_OF_READ


def _mark_of(settings: Settings) -> str:
    """Return a stamp that changes when the person changes model, address or key, of which it has 32 bits of a hash."""
    import hashlib

    text = "\n".join((settings.llm, settings.llm_url, settings.llm_key, str(settings.llm_daily_input_tokens)))
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=4).hexdigest()


@lru_cache(maxsize=2)
def former_embedder(settings: Settings, model_id: str) -> Embedder | None:
    """Return the formerly chosen embedder with that model id; None if it is no longer available."""
    from vademecum.adapters.embedders import create, name_of

    try:
        if (opened := _of_plugin(settings, model_id)) is not None:
            return opened
        return create(name_of(model_id))
    except (EmbedderUnavailable, UnknownWord):
        return None


def services_of_plugins() -> Mapping[str, EmbedderService]:
    """Return name -> embedding service of a plugin."""
    from vademecum.adapters.embedders import names
    from vademecum.plugin import named

    own: tuple[Any, ...] = names()
    return {service.name: service for service in named("embedders", own, lambda row: getattr(row, "name", row))}


def _of_plugin(settings: Settings, name: str) -> Embedder | None:
    """Return the embedder `SERVICE:MODEL` or `SERVICE` if the service is one of a plugin.

    Raises:
        EmbedderUnavailable: its package is missing.
    """
    service_name, _, model = name.partition(":")
    service = services_of_plugins().get(service_name)
    return service.open(model or service.usual_model, settings.embedder_url, lambda: settings.embedder_key) if service else None


def server_embedder(settings: Settings) -> Embedder | None:
    """Return the embedder of a team server; None: search there uses words alone."""
    return _embedder(settings)[0]


def _embedder(settings: Settings) -> tuple[Embedder | None, tuple[str, ...]]:
    """Return (the embedder or None, why it is missing)."""
    if settings.embedder == "none":
        return None, ("meaning: no embedder is chosen (setting `embedder`)",)
    from vademecum.adapters.embedders import SHIPPED, must_be_there

    try:
        if settings.embedder in SHIPPED:
            must_be_there(settings.embedder)
            return cast("Embedder", _Unopened(partial(_cached_embedder, settings))), ()
        return _cached_embedder(settings), ()
    except EmbedderUnavailable as error:
        return None, (f"meaning: {error.message} {error.hint}".strip(),)


def _cached_embedder(settings: Settings) -> Embedder | None:
    from vademecum.adapters.embedders import create_late
    from vademecum.adapters.embedders.cached import Cached

    cache = Path(settings.cache_dir)
    embedder = _of_plugin(settings, settings.embedder) or create_late(settings.embedder, cache / "weights.json")
    return embedder and Cached(embedder, cache / VECTORS_NAME)


class _Unopened:
    """An embedder whose module is imported, with numpy, when it is first asked for anything: most commands do without."""

    def __init__(self, open_embedder: Callable[[], Embedder | None]) -> None:
        self._open = open_embedder

    @cached_property
    def _opened(self) -> Embedder | None:
        return self._open()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._opened, name)
