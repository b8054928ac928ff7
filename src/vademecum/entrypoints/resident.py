"""Runs a verb of a command line in the helper, which has the memory open, so that the command need not open it and load the model.

The command itself reads settings and arguments, and prints the result. The verb's name, its values and its result are pickled and sent
over the helper's socket, which only this account can open. Only a helper of the same program with the same settings answers.
"""

from __future__ import annotations

import dataclasses
import pickle
import socket
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import vademecum
from vademecum.domain.errors import Refused, VademecumError
from vademecum.domain.memory import BY_PERSON
from vademecum.settings import Settings, socket_path
from vademecum.wiring import line_to

if TYPE_CHECKING:
    from collections.abc import Mapping

    from vademecum.api import Vademecum
    from vademecum.entrypoints.caller import Caller
    from vademecum.entrypoints.verbs.verb import Verb

#: First line of the request.
CALL = "verb 1"
#: First bytes of every answer.
_PICKLED = b"\x80"
_PROTOCOL = 5
_READ_BYTES = 1 << 16


class Done(NamedTuple):
    """The result of a verb, and a note about a write ("" for none)."""

    result: Any
    later: str


def program() -> str:
    """Return a stamp of the installed program: folder of the package and time of its installation."""
    path = Path(vademecum.__file__).absolute()
    return f"{path.stat().st_mtime_ns} {path}"


#: Stamp of this process, which keeps running when another version is installed.
_PROGRAM = program()


def ask(settings: Settings, verb: Verb, values: Mapping[str, Any], folder: Path, *, asks_person: bool) -> Done | None:
    """Run a verb in the helper of these settings; None if there is none, or the command must run it itself.

    Args:
        folder: the working folder. asks_person: the command can ask the person where the helper would refuse.

    Raises:
        VademecumError: as the verb does.
    """
    given = pickle.dumps((verb.name, dict(values), str(folder), _compared(settings)), _PROTOCOL)
    try:
        with line_to(str(socket_path(settings))) as line:
            line.sendall(f"{CALL} {_PROGRAM}\n".encode("utf-8", "surrogateescape") + given)
            line.shutdown(socket.SHUT_WR)
            answer = b"".join(iter(lambda: line.recv(_READ_BYTES), b""))
    except OSError:
        return None
    if not answer.startswith(_PICKLED):
        return None  # a helper of another version or with other settings
    done: Done | VademecumError = pickle.loads(answer)
    if isinstance(done, Done):
        return done
    if asks_person and isinstance(done, Refused):
        return None
    raise done


async def answer(call: Caller, settings: Settings, of_program: str, payload: bytes) -> bytes:
    """Run a verb for a command and return the answer; b"" if the command must run it itself.

    Args:
        settings: those of the helper. of_program: :func:`program` of the command's process.
    """
    if of_program != _PROGRAM:
        return b""
    name, values, folder, theirs = pickle.loads(payload)
    if theirs != _compared(settings):
        return b""

    def act(memory: Vademecum) -> bytes:
        from vademecum.api.runner import what_follows
        from vademecum.entrypoints.verbs import verb_named

        verb = verb_named(name)
        result = verb.do(memory, values, BY_PERSON)
        return pickle.dumps(Done(result, what_follows(memory.context) if verb.is_writing(values) else ""), _PROTOCOL)

    try:
        return await call(act, cwd=folder)
    except VademecumError as error:
        return pickle.dumps(error, _PROTOCOL)


def _compared(settings: Settings) -> Settings:
    """Return the settings without what does not affect a verb: where each was set, and their problems."""
    return dataclasses.replace(settings, origins=(), wrong=(), retired=())
