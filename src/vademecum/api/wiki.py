"""The folders of a wiki."""

from vademecum.api.station import Station, use_case
from vademecum.context.context import Context
from vademecum.views.wiki_scaffold import begin_wiki


class WikiAPI(Station[Context]):
    """A wiki beside the memories."""

    begin = use_case(begin_wiki)
