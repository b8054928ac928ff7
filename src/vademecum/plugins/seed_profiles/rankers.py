"""The rankers by profile name, with the numbers that each design published."""

from vademecum.plugin_api.recall import Profile, Ranker
from vademecum.plugins.seed_profiles.composer import Composer
from vademecum.plugins.seed_profiles.shares import ByWords, RankFusion, Weighted
from vademecum.plugins.seed_profiles.wiki_reading import read_wiki

RANKERS: tuple[Ranker, ...] = (
    Weighted(Profile("vault", 50, 5, 20_000, 0.0, superseded=0.0, ageing=False), weights=(0.7, 0.3)),
    Weighted(Profile("swarm", 20, 20, 15_000, 0.2, superseded=0.1, ageing=False), weights=(0.6, 0.4)),
    ByWords(
        Profile("agent", 50, 10, 2_000, 0.0, superseded=0.0, ageing=False, kinds=(("decision", 3), ("lesson", 2))),
        fuzzy=0.2,
        prefix=True,
    ),
    RankFusion(Profile("facts", 50, 8, 2_000, 0.0, superseded=0.0, topics=True)),
    Composer(Profile("composer", limit=8, threshold=0.0, superseded=0.0, inbox=0.0, topics=True)),
    ByWords(Profile("wiki", 50, 5, 3_000, 0.0, superseded=0.1, ageing=False), read_wiki),
    ByWords(Profile("wiki-quick", 50, 3, 1_500, 0.0, superseded=0.1, ageing=False), read_wiki),
    ByWords(Profile("wiki-deep", 200, 20, 8_000, 0.0, superseded=0.1, ageing=False), read_wiki),
)
