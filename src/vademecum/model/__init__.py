"""The words of the project. Imports nothing of ours, so every other folder may import it.

Some parts are also had as attributes, loaded when first asked for, by those who seldom need them.
"""

from typing import TYPE_CHECKING

from vademecum.model.late import late

if TYPE_CHECKING:
    from vademecum.model import ports, session, topics, verdict

__all__ = ["ports", "session", "topics", "verdict"]


__getattr__ = late(__name__, {name: name for name in __all__})
