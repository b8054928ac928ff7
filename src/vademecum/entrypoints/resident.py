"""A verb of a command line, carried out on the memory that the helper has open: no other process opens it and loads its model.

The command reads its settings and its words itself, and shows the result itself. The verb's name, its values and its result travel
pickled over the helper's line, which only this account can open. Only a helper of the same program with the same settings answers.
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
    from vademecum.entrypoints.verbs.table import Verb

#: First word of the call.
CALL = "verb 1"
#: How every answer begins.
_PICKLED = b"\x80"
_PROTOCOL = 5
_READ_BYTES = 1 << 16


class Done(NamedTuple):
    """What a verb gave, and what whoever wrote is told besides ("" for nothing)."""

    result: Any
    later: str


def program() -> str:
    """Return what differs between two installed programs: the place of the package and when it was written there."""
    path = Path(vademecum.__file__).absolute()
    return f"{path.stat().st_mtime_ns} {path}"


#: That of this process, which goes on when another version is installed in its place.
_PROGRAM = program()


def ask(settings: Settings, verb: Verb, values: Mapping[str, Any], folder: Path, *, asks_person: bool) -> Done | None:
    """Return what the helper of these settings answers; None: there is none, or the command must do it itself.

    Args:
        folder: where the work goes on. asks_person: the command could ask what the helper refuses because nobody can be asked there.

    Raises:
        VademecumError: as the verb raises.
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
        return None  # an older helper, or one of another program or other settings
    done: Done | VademecumError = pickle.loads(answer)
    if isinstance(done, Done):
        return done
    if asks_person and isinstance(done, Refused):
        return None
    raise done


async def answer(call: Caller, settings: Settings, of_program: str, payload: bytes) -> bytes:
    """Return what is sent to a command that asks; nothing when it must do the verb itself.

    Args:
        settings: of the helper. of_program: as :func:`program` of the command's process says.
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
    """Return the settings without what decides nothing here: where each was set, and what is wrong with them."""
    return dataclasses.replace(settings, origins=(), wrong=(), retired=())
