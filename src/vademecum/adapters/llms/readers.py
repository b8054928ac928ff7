"""Programs on this machine that could read the person's ended conversations, paid by a subscription they already have.

The Gemini command line is not among them: it saves a transcript of each run, which would be captured as a conversation of its
own, and it may search the web without asking while it reads.
"""

import contextlib
import shutil
import subprocess
from collections.abc import Iterator, Mapping

from vademecum.domain.llm import ReaderChoice, StrongerModel

#: Service whose default model is a small one -> the stronger model to offer beside it.
_STRONGER = {
    "claude-cli": StrongerModel("claude-cli:sonnet", 2.0, 10.0, "October 2026"),
    "anthropic": StrongerModel("anthropic:claude-sonnet-5-5", 2.0, 10.0, "October 2026"),
}
_PROGRAMS = {
    "claude": ReaderChoice("claude-cli", "Claude Code", "to Anthropic, on your Claude subscription", _STRONGER["claude-cli"]),
    "codex": ReaderChoice("codex-cli", "Codex", "to OpenAI, on your ChatGPT subscription", None),
}
_KEYS = {
    "ANTHROPIC_API_KEY": ReaderChoice("anthropic", "Anthropic key", "to Anthropic, paid by the token", _STRONGER["anthropic"])
}
#: Timeout in seconds of `ollama list`, and most of its models that are offered.
_WAIT_S, _LOCAL_MOST = 5.0, 5


def programs(environment: Mapping[str, str]) -> tuple[ReaderChoice, ...]:
    """Return the installed programs with a subscription that could read; no program is run."""
    return tuple(choice for name, choice in _PROGRAMS.items() if shutil.which(name, path=environment.get("PATH")))


def readers(environment: Mapping[str, str]) -> tuple[ReaderChoice, ...]:
    """Return the available readers: programs with a subscription first, then local models, then paid keys."""
    keys = (choice for name, choice in _KEYS.items() if environment.get(name))
    return (*programs(environment), *_local(environment), *keys)


def stronger(llm: str) -> StrongerModel | None:
    """Return the stronger model to offer for a value of `llm`; None: it names a model, or its program chooses one."""
    return _STRONGER.get(llm)


def _local(environment: Mapping[str, str]) -> Iterator[ReaderChoice]:
    """Yield the models of Ollama, newest first, as it lists them."""
    program = shutil.which("ollama", path=environment.get("PATH"))
    if program is None:
        return
    with contextlib.suppress(OSError, subprocess.SubprocessError):
        completed_process = subprocess.run(
            [program, "list"], capture_output=True, text=True, timeout=_WAIT_S, env=dict(environment), check=True
        )
        for line in completed_process.stdout.splitlines()[1 : _LOCAL_MOST + 1]:
            name = line.split()[0]
            yield ReaderChoice(f"ollama:{name}", f"Ollama ({name})", "nowhere: it runs on this machine", None)
