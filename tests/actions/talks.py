"""Conversations of Claude Code in which an agent ran commands: transcripts to be captured."""

import json
from datetime import UTC, datetime, timedelta

BEGIN = datetime(2026, 2, 2, 9, tzinfo=UTC)


def ran(command, answer="done", *, failed=False, tool="Bash", given=None):
    """A call with its answer, None: it was not answered yet. `failed` None: the host does not say it."""
    return tool, given or {"command": command}, answer, failed


def refused(command, words=""):
    """A command that the person refused, with what they typed."""
    text = "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string"
    text += " was NOT written to the file)."
    text += (
        f" To tell you how to proceed, the user said:\n{words}" if words else " STOP what you are doing and wait for the user."
    )
    return "Bash", {"command": command}, text, True


def lines_of(name, calls, *, day=0, cwd="/srv/harbour", said="Go on, please."):
    """The lines of a transcript that begins so many days after the first of all."""
    moment = BEGIN + timedelta(days=day)

    def line(number, kind, content, **more):
        at = (moment + timedelta(minutes=number)).isoformat().replace("+00:00", "Z")
        head = {"type": kind, "sessionId": name, "uuid": f"{name}-{number}", "timestamp": at, "cwd": cwd}
        return json.dumps(head | {"message": {"role": kind, "content": content}} | more) + "\n"

    yield line(0, "user", said)
    for number, (tool, given, answer, failed) in enumerate(calls):
        identity = f"call-{name}-{number}"
        yield line(2 * number + 1, "assistant", [{"type": "tool_use", "id": identity, "name": tool, "input": given}])
        if answer is not None:
            result = {"type": "tool_result", "tool_use_id": identity, "content": answer}
            result |= {} if failed is None else {"is_error": failed}
            yield line(2 * number + 2, "user", [result])


def talked(folder, name, *calls, **more):
    """Write a transcript and give its path."""
    folder.mkdir(exist_ok=True)
    path = folder / f"{name}.jsonl"
    path.write_text("".join(lines_of(name, calls, **more)))
    return str(path)
