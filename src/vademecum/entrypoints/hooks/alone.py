"""Answers a prompt in the process of the hook client, by words alone, when no helper runs.

`carrier.py`, in the same folder, calls :func:`print_alone`. `alone.json` says where the package is installed.
"""

import _thread
import gc
import os
import sys

from carrier import elapsed_s, host_and_folder, keep, start_helper, write_all  # type: ignore[import-not-found]

#: Our environment variables that change no setting, or that the client handles itself.
_MINDED = ("VADEMECUM_DISABLED", "VADEMECUM_DATA_DIR", "VADEMECUM_HOME")


def print_alone(conf: "dict[str, str]", payload: bytes, until: float) -> bool:
    """Print the certain matches of a prompt; False if there are none.

    After the deadline the event is queued, a helper is started, and this process exits.
    """
    done = _thread.allocate_lock()
    done.acquire()

    def give_up() -> None:
        if done.acquire(timeout=max(until - elapsed_s(), 0.001)):
            return
        try:
            keep(conf, payload)
            start_helper(conf)
        finally:
            os._exit(0)

    _thread.start_new_thread(give_up, ())
    text = b""
    try:
        text = _answer(conf, payload)
    except BaseException:  # another version is being installed, or a file is damaged: ask the helper
        text = b""
    done.release()
    write_all(1, text)
    return bool(text)


def _answer(conf: "dict[str, str]", payload: bytes) -> bytes:
    import json

    with open(__file__.rpartition("alone.py")[0] + "alone.json", encoding="utf-8") as file:
        known = json.load(file)
    sys.path += known["packages"]
    gc.disable()  # this process ends soon
    _import_first()
    from vademecum.entrypoints.hooks.by_words import answer

    is_set = any(name.startswith("VADEMECUM_") and name not in _MINDED for name in os.environ)
    raw: bytes = answer({**conf, "is_set": "1" if is_set else ""}, known, payload, *host_and_folder())
    return raw


def _import_first() -> None:
    """Import modules of others without what an answer does not need. If that fails with other versions of them, the helper is asked."""
    from vademecum.entrypoints.quick_import import MSGSPEC_WITHOUT, quick_import

    unused: dict[str, dict[str, object]] = {f"msgspec.{name}": {} for name in ("inspect", "msgpack", "toml", "yaml")}
    unused["msgspec._json_schema"] = dict.fromkeys(("schema", "schema_components"))
    unused["decimal"] = {"Decimal": type("Decimal", (), {})}
    quick_import("msgspec", {**MSGSPEC_WITHOUT, **unused})
    quick_import("pathlib", {"ipaddress": {}})
