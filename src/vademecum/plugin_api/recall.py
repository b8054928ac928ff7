"""Recall: the input of a ranker, and the building blocks of rankers."""

from vademecum.recall.adjust import adjustments
from vademecum.recall.arms import ask_model, look_at_topics, query_vector, report
from vademecum.recall.decide import answer, linked
from vademecum.recall.features import Evidence
from vademecum.recall.graph import Link, Reach, walk
from vademecum.recall.numbers import LIKE_MOST, LINKED_FROM, LINKED_MOST
from vademecum.recall.pools import ranks_of
from vademecum.recall.profiles import Profile
from vademecum.recall.ranker import Matches, Ranker
from vademecum.recall.rankers import profile_named, rankers
from vademecum.recall.run import Run, Tools, scope_of
from vademecum.recall.topics import weight_of
from vademecum.recall.trace import read_story
