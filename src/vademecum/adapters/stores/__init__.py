"""Where the index is kept: one folder or file for each kind of store."""

from typing import TYPE_CHECKING

from vademecum.model.late import late

if TYPE_CHECKING:
    from vademecum.adapters.stores import turn_numbers

__all__ = ["turn_numbers"]


__getattr__ = late(__name__, {name: name for name in __all__})
