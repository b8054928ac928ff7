"""An index in one SQLite file with FTS5. A schema we do not know is dropped: it can be rebuilt."""

from typing import TYPE_CHECKING

from vademecum.model.late import late

if TYPE_CHECKING:
    from vademecum.adapters.stores.sqlite import records
    from vademecum.adapters.stores.sqlite.light import LightIndex
    from vademecum.adapters.stores.sqlite.store import SqliteIndex

__all__ = ["LightIndex", "SqliteIndex", "records"]

__getattr__ = late(__name__, {"LightIndex": "light", "SqliteIndex": "store", "records": "records"})
