"""The joined spaces, as files in the data folder, and HTTP requests to their servers.

`<data>/teams/<space>/joined.json` holds address, token and cursor; `notes/` next to it is the mirror.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path

import msgspec

from vademecum.domain.errors import InvalidInput, NotFound, Refused, TeamUnavailable, VademecumError
from vademecum.domain.memory import Space
from vademecum.plugin_api.machine import HttpFailure, Refusal, post, private_folder
from vademecum.plugins.team.values import Joined

_JOINED, _NOTES = "joined.json", "notes"
#: Timeout of a request, in seconds.
_WAIT_S = 20.0
_ERRORS: Mapping[int, type[VademecumError]] = {400: InvalidInput, 401: Refused, 403: Refused, 404: NotFound, 422: InvalidInput}


class TeamFiles:
    """The port :class:`vademecum.plugins.team.ports.Teams`.

    Args:
        data: the data folder of the device.
    """

    def __init__(self, data: Path) -> None:
        self._folder = data / "teams"

    def joined(self) -> tuple[Joined, ...]:
        """Return the joined spaces by name."""
        files = sorted(self._folder.glob(f"*/{_JOINED}"))
        return tuple(msgspec.json.decode(file.read_bytes(), type=Joined) for file in files)

    def keep(self, joined: Joined) -> None:
        """Store a space, replacing its former state."""
        private_folder(self._folder)
        folder = private_folder(self._folder / joined.space)
        private_folder(folder / _NOTES)
        part = folder / f".{_JOINED}.{os.getpid()}"
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            file.write(msgspec.json.encode(joined))
            file.flush()
            os.fsync(file.fileno())
        part.replace(folder / _JOINED)

    def drop(self, joined: Joined) -> None:
        """Delete a space: its token first, then its mirror."""
        folder = self._folder / joined.space
        (folder / _JOINED).unlink(missing_ok=True)
        shutil.rmtree(folder)

    def notes(self, joined: Joined) -> str:
        """Return the folder of the mirror."""
        return str(self._folder / joined.space / _NOTES)

    def ask(self, joined: Joined, operation: str, values: Mapping[str, object]) -> object:
        """Send a request to the server and return its answer."""
        headers = {"Authorization": f"Bearer {_token(joined)}"}
        try:
            return post(f"{joined.url}/v1/{joined.space}/{operation}", values, headers, _WAIT_S)
        except Refusal as refusal:
            if refusal.status not in _ERRORS:
                raise TeamUnavailable(f"The server of {joined.space} does not answer: {refusal.said}", _LATER) from refusal
            raise _ERRORS[refusal.status](*_message_and_hint(refusal.said)) from refusal
        except HttpFailure as failure:
            raise TeamUnavailable(f"The server of {joined.space} does not answer: {failure}", _LATER) from failure


def _token(joined: Joined) -> str:
    if not joined.token_file:
        return joined.token
    try:
        return Path(joined.token_file).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise TeamUnavailable(f"The token of {joined.space} cannot be read: {error}", "Sign in again.") from error


_LATER = "What was taken from it before is on this device. Try again later: vade team sync"


def _message_and_hint(entry: str) -> tuple[str, str]:
    """Return message and hint of an error response."""
    try:
        problem = json.loads(entry)
        return str(problem["message"]), str(problem.get("hint", ""))
    except (ValueError, KeyError, TypeError, AttributeError):
        return entry, ""


def mirrors(data: Path) -> tuple[Space, ...]:
    """Return the memory spaces that hold the mirrors."""
    joined = TeamFiles(data).joined()
    return tuple(Space(membership.mirror, TeamFiles(data).notes(membership)) for membership in joined)
