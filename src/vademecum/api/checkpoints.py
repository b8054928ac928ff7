"""Chats of agents that can be taken up again: the last messages of each, and what is told when one is closed."""

from vademecum.api.station import Station, use_case
from vademecum.context.context import Context
from vademecum.domain.checkpoint import Checkpoint
from vademecum.domain.errors import NotFound
from vademecum.inject.context import RecallContext
from vademecum.sessions import checkpoints
from vademecum.write.gate import Saved


class CheckpointsAPI(Station[Context]):
    """Where the chats of agents stood.

    Args:
        recall: cleans what is told of them.
    """

    def __init__(self, context: Context, recall: RecallContext) -> None:
        super().__init__(context)
        self._recall = recall

    recoverable = use_case(checkpoints.recoverable)
    sync = use_case(checkpoints.sync_checkpoints)

    def save(self, agent: str, messages: str, chat: str = "", model: str = "") -> Checkpoint:
        """Keep the last messages of a chat (JSON), without internal ones, so that it can be taken up within a week."""
        return checkpoints.checkpoint(self.context, agent, checkpoints.messages_of(messages), chat=chat, model=model)

    def recover(self, agent: str) -> Checkpoint:
        """Return where an agent's chat stood.

        Raises:
            NotFound: nothing is kept, or it is older than a week.
        """
        found = checkpoints.recover(self.context, agent)
        if found is None:
            raise NotFound(f"No chat of {agent!r} was saved in the last week.", "See older ones with: vade sessions list")
        return found

    def sleep(self, agent: str, messages: str = "", summary: str = "", chat: str = "", model: str = "") -> Saved:
        """Close a chat: keep its checkpoint and write a handoff that tells where it stopped."""
        given, clean = checkpoints.messages_of(messages), self._recall.clean(summary)
        return checkpoints.sleep(self.context, agent, given, clean, chat=chat, model=model)
