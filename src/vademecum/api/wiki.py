"""The wiki: begin one, keep what a workflow tells, require what must be there."""

from vademecum.api.station import Station, use_case
from vademecum.context.context import Context
from vademecum.features.wiki_events import require, take_event
from vademecum.features.wiki_fold import fold
from vademecum.features.wiki_scaffold import begin_wiki
from vademecum.features.wiki_sources import ingest


class WikiAPI(Station[Context]):
    """Pages of a wiki, and how a workflow in layers writes and needs them."""

    begin = use_case(begin_wiki)
    event = use_case(take_event)
    require = use_case(require)
    ingest = use_case(ingest)
    fold = use_case(fold)
