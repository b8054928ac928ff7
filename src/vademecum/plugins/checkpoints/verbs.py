"""`vade checkpoint` with `--recover`, `--close` and `--sync`."""

from vademecum.plugin import on_context
from vademecum.plugin_api.memory import Vademecum
from vademecum.plugin_api.verbs import Param, Verb, saved_text, snippet
from vademecum.plugin_api.writing import Saved
from vademecum.plugins.checkpoints import checkpoints
from vademecum.plugins.checkpoints.checkpoints import sync_checkpoints
from vademecum.plugins.checkpoints.values import Checkpoint, SyncedCheckpoints

_AGENT = Param("agent", "text", "Name of the agent.", place=True)

_CHAT = (
    Param("chat", "text", "Id under which the host can resume the chat.", ""),
    Param("model", "text", "Model that answered.", ""),
)

_FROM = "A file with @path, standard input with -."


def save(memory: Vademecum, agent: str, messages: str, chat: str = "", model: str = "") -> Checkpoint:
    """Save the last messages of a chat (JSON), without internal ones, so that it can be resumed within a week."""
    return checkpoints.checkpoint(memory.context, agent, checkpoints.messages_of(messages), chat=chat, model=model)


def _recover(memory: Vademecum, agent: str) -> Checkpoint | tuple[Checkpoint, ...]:
    return checkpoints.recovered(memory.context, agent) if agent else checkpoints.recoverable(memory.context)


def close(memory: Vademecum, agent: str, messages: str = "", summary: str = "", chat: str = "", model: str = "") -> Saved:
    """Close a chat: save its checkpoint, and write a handoff with its last state."""
    given, clean = checkpoints.messages_of(messages), memory.context.guard.clean(summary)
    return checkpoints.sleep(memory.context, agent, given, clean, chat=chat, model=model)


def checkpoint_text(result: Checkpoint) -> str:
    """Return agent, time and last messages of a checkpoint."""
    facts = [f"saved {result.saved:%Y-%m-%d %H:%M} UTC", f"{len(result.messages)} messages"]
    facts += [f"{name} {value}" for name, value in (("chat", result.chat), ("model", result.model)) if value]
    texts = [f"  {message.role}: {snippet(message.text, limit=100)}" for message in result.messages[-3:]]
    return "\n".join([f"{result.agent}  ({', '.join(facts)})", *texts])


def recovered_text(result: Checkpoint | tuple[Checkpoint, ...]) -> str:
    """Return the last state of a chat, or one line for each."""
    if isinstance(result, Checkpoint):
        return checkpoint_text(result)
    if not result:
        return "No chat was saved in the last week. Save one with: vade checkpoint AGENT"
    return "\n".join(
        f"{checkpoint.agent}  {checkpoint.chat or 'no id'}  (saved {checkpoint.saved:%Y-%m-%d %H:%M} UTC)"
        for checkpoint in result
    )


def checkpoints_text(result: SyncedCheckpoints) -> str:
    """Return which agents have a newer checkpoint."""
    lines = [f"written: {agent}" for agent in result.written]
    lines += [f"problem: {problem.path}: {problem.message}" for problem in result.problems]
    return "\n".join([*lines, f"{len(result.written)} written, {result.unchanged} up to date"])


VERBS = (
    Verb("checkpoint", "Save the last 50 messages of a chat for a week; internal ones are never saved.",
         (_AGENT, Param("messages", "file", 'JSON: [{"role": "user", "text": "..."}]. ' + _FROM), *_CHAT),
         save, checkpoint_text, writes=True, standing="agent"),
    Verb("checkpoint --recover",
         "The last checkpoint of an agent's chat, up to a week old; without AGENT, the checkpoints of all agents.",
         (Param("agent", "text", "Name of the agent.", "", place=True),), _recover, recovered_text),
    Verb("checkpoint --close", "Close a chat: save its checkpoint and write a handoff.", (
        _AGENT,
        Param("messages", "file", "The messages, as for checkpoint. " + _FROM, ""),
        Param("summary", "file", "Where it stopped; empty: its last messages. " + _FROM, ""),
        *_CHAT,
    ), close, saved_text, writes=True),
    Verb("checkpoint --sync",
         "Make checkpoints of the conversations that a program writes into a folder, one <agent>.json each.", (
        Param("folder", "text", "The folder.", place=True, named="place"),
        Param("force", "flag", "Also overwrite files that are as new.", False),
    ), on_context(sync_checkpoints), checkpoints_text, writes=True, agents=False),
)  # fmt: skip
