"""The rankers by profile name: the default one, and those of plugins."""

from collections.abc import Mapping
from functools import cache

from vademecum.domain.errors import UnknownWord
from vademecum.plugin import named
from vademecum.recall.default_ranker import DEFAULT
from vademecum.recall.profiles import Profile
from vademecum.recall.ranker import Ranker


@cache
def rankers() -> Mapping[str, Ranker]:
    """Return profile name -> ranker. On a name clash the default ranker wins, then the earlier plugin."""
    ours = {DEFAULT.profile.name: DEFAULT}
    added = named("rankers", (DEFAULT,), lambda ranker: ranker.profile.name)
    return ours | {ranker.profile.name: ranker for ranker in added}


def ranker_named(name: str) -> Ranker:
    """Return the ranker of the profile with that name.

    Raises:
        UnknownWord: there is none; the message names the nearest.
    """
    if name == DEFAULT.profile.name:
        return DEFAULT  # without loading those of plugins
    if name not in rankers():
        raise UnknownWord("profile", name, rankers())
    return rankers()[name]


def profile_named(name: str) -> Profile:
    """Return the profile with that name.

    Raises:
        UnknownWord: there is none; the message names the nearest.
    """
    return ranker_named(name).profile
