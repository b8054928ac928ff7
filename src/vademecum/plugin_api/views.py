"""Generated pages."""

from vademecum.views.keep import ViewsReport, keep_views, keep_views_after
from vademecum.views.texts import (
    HINT,
    LOOKED_AT,
    Entry,
    Known,
    Parts,
    changes,
    entry,
    folded,
    hot,
    index_page,
    key_of,
    label,
    listed,
    more,
    section,
)
from vademecum.views.view import View
