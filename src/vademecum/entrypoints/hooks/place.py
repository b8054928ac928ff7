"""Where the hook client is installed, and the configuration that it reads.

The client is copied from the package to `hook/client.py` in the data folder of the device, so that the command registered with hosts
stays the same when the package moves or is upgraded: some hosts ask for permission again whenever that command changes.
"""

import json
import shlex
import sys
from pathlib import Path

import msgspec

from vademecum.entrypoints.hooks.acting import EVENTS, TOOL_FIELD
from vademecum.entrypoints.hooks.carrier import stamp_of
from vademecum.language.load import read_for_prompts
from vademecum.settings import Settings, config_path, device_folder, pinned_home, socket_path
from vademecum.wiring import hook_events, prompt_events, words_only

CONFIG_LINE = "config"
#: Next to the client: what `alone.py` needs to answer a prompt by words without a helper.
KNOWN = "alone.json"


def client_path(settings: Settings) -> Path:
    """Return the path of the installed client."""
    return device_folder(settings.data_dir) / "hook" / "client.py"


def client_files(settings: Settings, config: Path | None) -> dict[Path, str]:
    """Return path -> content of the files of the client and its configuration, in the order in which they must be written.

    Args:
        config: the configuration file, unless it is the default one of the platform.
    """
    sources = [Path(__file__).with_name(name) for name in ("acting.py", "alone.py", "carrier.py", "client.py")]
    sources.insert(0, Path(__file__).parents[2] / "domain" / "call_patterns.py")
    if sys.platform == "win32":
        sources.insert(0, Path(__file__).parents[2] / "adapters" / "line" / "named_pipe.py")
    parts = {path.name: path.read_text(encoding="utf-8") for path in sources}
    lines = [
        ("data", settings.data_dir),
        ("home", settings.home),
        *([("pinned", home)] if (home := pinned_home(settings)) else []),
        ("socket", str(socket_path(settings))),
        ("python", sys.executable),
        ("deadline_ms", str(settings.hook_deadline_ms)),
        *zip(("heard", "unheard"), map(" ".join, hook_events()), strict=True),
        ("acting", " ".join((*EVENTS, TOOL_FIELD))),
        ("prompts", " ".join(prompt_events())),
    ]
    if config:
        lines.append((CONFIG_LINE, str(config)))
    parts[KNOWN] = json.dumps(_known(settings, config or config_path()), ensure_ascii=False)
    parts["gone.sh"] = _gone(client_path(settings))
    texts = {"hook.conf": "".join(f"{name}={value}\n" for name, value in lines), **parts}
    return {client_path(settings).with_name(name): text for name, text in texts.items()}


def _known(settings: Settings, config: Path) -> dict[str, object]:
    """Return the content of `alone.json`: what is needed to answer a prompt by words without a helper."""
    return {
        "packages": _packages(),
        "read_from": [stamp_of(str(config)), str(config)],
        "settings": msgspec.to_builtins(words_only(settings)),
        "languages": read_for_prompts(),
    }


def _packages() -> list[str]:
    """Return the folders from which this package and its dependencies are imported."""
    above = str(Path(__file__).parents[3])
    return [above, *(path for path in sys.path if Path(path).name in ("site-packages", "dist-packages") and path != above)]


def _gone(client: Path) -> str:
    """Return the script that hosts run if the client failed: once a day it says that memory is not running.

    It prints only if the interpreter or the client is missing, and only for hosts that show a `systemMessage`.
    """
    python, text = shlex.quote(sys.executable), shlex.quote(str(client.with_name("gone.told")))
    message = (
        f"Vademecum is not running: its Python ({sys.executable}) or its hook client is gone, so nothing is remembered. "
        "Install it again, then run: vade install"
    )
    return _GONE.format(python=python, client=shlex.quote(str(client)), shown=text, answer=shlex.quote(_answer(message)))


def _answer(message: str) -> str:
    return json.dumps({"systemMessage": message}, ensure_ascii=True)


_GONE = """\
#!/bin/sh
# Run by hosts when the hook client ended badly. Tells the person so, once a day; never stops the host.
[ -x {python} ] && [ -f {client} ] && exit 0
case $(cat) in
*'"SessionStart"'* | *'"UserPromptSubmit"'* | *'"BeforeAgent"'*) ;;
*) exit 0 ;;
esac
today=$(date +%Y-%m-%d)
[ "$(cat {shown} 2>/dev/null)" = "$today" ] && exit 0
echo "$today" 2>/dev/null >{shown} || exit 0
printf '%s\\n' {answer}
"""


def write_client(settings: Settings, config: Path | None) -> Path:
    """Write the files of the client that are missing or differ, and return its path.

    Raises:
        OSError: a file cannot be written.
    """
    device_folder(settings.data_dir).mkdir(mode=0o700, parents=True, exist_ok=True)
    for path, text in client_files(settings, config).items():
        if path.exists() and path.read_text(encoding="utf-8", errors="replace") == text:
            continue
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        fresh = path.with_suffix(".new")
        fresh.write_text(text, encoding="utf-8")
        fresh.replace(path)
    return client_path(settings)


def renew_client(settings: Settings, config: Path | None) -> None:
    """Write the files of the client again if they are in place: after a change of the settings they must hold the new ones.

    Raises:
        OSError: a file cannot be written.
    """
    if client_path(settings).exists():
        write_client(settings, config)


def command(settings: Settings) -> list[str]:
    """Return the command line that a host runs, without the name of the host at its end."""
    return [sys.executable, "-I", "-S", str(client_path(settings))]
