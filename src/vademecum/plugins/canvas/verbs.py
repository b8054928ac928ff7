"""`vade canvas`."""

import json

import msgspec

from vademecum.domain.memory import By
from vademecum.plugin_api.memory import Vademecum
from vademecum.plugin_api.verbs import Param, Verb, ref_param
from vademecum.plugins.canvas.canvas import Canvas, drawn


def _canvas(memory: Vademecum, ref: str, limit: int, by: By) -> Canvas:
    links = memory.notes.links(ref, limit=limit, by=by)
    return drawn(memory.context, memory.notes.get(ref), links, withheld=by.actor == "user")


def canvas_text(result: Canvas) -> str:
    """Return the text of the canvas file."""
    return json.dumps(msgspec.to_builtins(result), ensure_ascii=False, indent=2)


VERBS = (
    Verb("canvas", "How a memory was made, as JSON Canvas for Obsidian: vade canvas KD03 > why.canvas",
         (ref_param(), Param("limit", "number", "Most links.", 20)), _canvas, canvas_text, signed=True),
)  # fmt: skip
