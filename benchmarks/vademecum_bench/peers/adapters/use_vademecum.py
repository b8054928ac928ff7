"""Vademecum as in use: queried by its hook at a prompt, or by an agent with the MCP tool `recall_memory`.

Limits, threshold and text are those of these interfaces. The settings are those of the person who runs it, over an empty home.
"""

from dataclasses import replace as replace_settings
from pathlib import Path

from msgspec.structs import replace

from vademecum.domain.host import HookEvent
from vademecum.entrypoints.mcp.server import BY_AGENT
from vademecum.entrypoints.mcp.tools import all_tools
from vademecum.ingest.ending import Ending
from vademecum.inject.at_prompt import Withheld, shown_at_prompt
from vademecum.inject.holdout import holdout_of
from vademecum.wiring import load_settings, open_memory
from vademecum_bench.peers.adapters.peer import Session, file_name, serve
from vademecum_bench.recall import isolated, write_transcript
from vademecum_bench.recall_set import SetSession

#: Beginning of an item in the shown text.
_ITEM = "\n- "


class Vademecum:
    """One memory with one interface: "hook" or "mcp"."""

    def __init__(self, folder: Path, entrance: str) -> None:
        self._folder, self._entrance = folder.parent / "input", entrance
        self._folder.mkdir()
        self._notes = folder.parent / "notes"
        self._notes.mkdir()
        self._opened = open_memory(replace_settings(isolated(load_settings(), folder), vault=str(self._notes)))
        self._memory = self._opened.__enter__()

    def ingest(self, sessions: list[Session]) -> None:
        """Take in notes and transcripts, and compute all vectors, as its helper does in the background."""
        for session in sessions:
            if all("note" in turn for turn in session["turns"]):
                self._write_note(session)
                continue
            one = SetSession("", session["id"], session["time"], tuple(session["turns"]))
            write_transcript(one, (self._folder / file_name(session)).with_suffix(".jsonl"))
        self._memory.maintenance.capture((str(self._folder),), mine=False)
        self._memory.maintenance.sync()
        self._memory.maintenance.refine()

    def _write_note(self, session: Session) -> None:
        """Write a page of the person into their vault, with the speaker as its title."""
        file = self._notes / f"{session['id']}.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        texts = "\n\n".join(turn["text"] for turn in session["turns"])
        file.write_text(f"# {session['turns'][0]['speaker']}\n\n{texts}\n", encoding="utf-8")

    def ask(self, question: str, limit: int | None) -> list[str]:
        """Return the shown text split into items; the first item includes the heading."""
        text = self._hook(question) if self._entrance == "hook" else self._mcp(question, limit)
        head, *items = text.split(_ITEM)
        items = [head + _ITEM + items[0], *items[1:]] if items else []
        return items if limit is None else items[:limit]

    def _hook(self, question: str) -> str:
        recall = self._memory.recall.context
        query = replace(recall.prompt(0.0), deadline_s=None)
        event = HookEvent("plain", "prompt", "prompt", "", prompt=question)
        return shown_at_prompt(recall, event, query, Ending(), Withheld(frozenset(), holdout_of(recall, event)))[1].text

    def _mcp(self, question: str, limit: int | None) -> str:
        tool = all_tools()["recall_memory"]
        given = {"question": question} if limit is None else {"question": question, "limit": limit}
        return tool.tell(tool.do(self._memory, tool.checked(given), BY_AGENT))

    def close(self) -> None:
        """Close the memory."""
        self._opened.__exit__(None, None, None)


if __name__ == "__main__":
    serve(Vademecum)
