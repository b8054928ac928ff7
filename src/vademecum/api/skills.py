"""Skills that the person has, and those that others published."""

from vademecum.api.station import Station, use_case
from vademecum.context.context import Context
from vademecum.features import skills


class SkillsAPI(Station[Context]):
    """Pointers to skills, and the watchlist."""

    index = use_case(skills.index_skills)
    discover = use_case(skills.discover)
    judge = use_case(skills.judge)
    watchlist = use_case(skills.watchlist)
    decide = use_case(skills.decide_watched)
