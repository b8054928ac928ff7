"""An open memory, its context, and how to run a use case on it."""

from vademecum.api import Vademecum
from vademecum.api.runner import READS, Needs, run
from vademecum.context.context import Context
from vademecum.context.llm_queue import model
from vademecum.context.tombstones import forgotten
from vademecum.domain.query import Asked
from vademecum.inject.ask import prepared
from vademecum.inject.context import RecallContext
from vademecum.inject.render import age, memory_line
from vademecum.inject.scope import may_be_shown, scope_for
