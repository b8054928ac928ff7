"""Generated pages."""

from vademecum.views.keep import ViewsReport, keep_views, keep_views_after
from vademecum.views.texts import Entry, Known, changes, folded, hot, index_page, label

__all__ = [
    "Entry",
    "Known",
    "ViewsReport",
    "changes",
    "folded",
    "hot",
    "index_page",
    "keep_views",
    "keep_views_after",
    "label",
]
