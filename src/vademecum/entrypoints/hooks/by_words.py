"""Answers a prompt by words alone when no helper runs: `alone.py` calls :func:`answer` in the process of the hook client.

Every imported module delays the prompt. So the settings were stored when the client was installed, and are read again only if the
configuration file has changed since, or the environment sets something.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from vademecum.domain.errors import VademecumError
from vademecum.domain.payload import payload_of
from vademecum.entrypoints.hooks.answer import Hooks
from vademecum.entrypoints.hooks.carrier import stamp_of
from vademecum.inject.by_words import deliver_by_words
from vademecum.language.load import take_read
from vademecum.wiring import WordsOnly, open_by_words, parts_for, printed_to


def answer(conf: Mapping[str, str], known: Mapping[str, Any], payload: bytes, host: str, folder: str) -> bytes:
    """Return what to print at a prompt; b"" if there is no certain match or it is no prompt. Then nothing was recorded.

    Args:
        conf: values of `hook.conf`, and `is_set` if the environment sets something. known: content of `alone.json`.
    """
    try:
        take_read(known["languages"])
        settings = _settings(conf, known)
        fields = payload_of(payload)
        hooks = Hooks(parts_for(fields, host, settings.known_by, settings.data_dir, settings.wrong))
        event = hooks.event_of(host, folder, fields)
        opened = open_by_words(settings, event.cwd or folder) if event.moment == "prompt" and event.by_person else None
        if opened is None:
            return b""
        asked = hooks.read(host, folder, payload)
        delivery = deliver_by_words(opened.recall, opened.words, event, printed_to(settings, event.session))
        return hooks.finish(asked, delivery).encode("utf-8") if delivery.text else b""
    except (VademecumError, OSError):
        return b""  # the helper, which is started next, reports the error


def _settings(conf: Mapping[str, str], known: Mapping[str, Any]) -> WordsOnly:
    stamp, path = known["read_from"]
    if not conf["is_set"] and stamp_of(path) == stamp:
        return msgspec.convert(known["settings"], WordsOnly)
    from vademecum.wiring import load_settings, words_only

    config = Path(conf["config"]) if conf.get("config") else None
    overrides = {"data_dir": conf["data"], "home": conf.get("pinned")}
    return words_only(load_settings(config=config, overrides=overrides, forgiving=True))
