"""Answers to questions, and text for sessions."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from msgspec.structs import replace

from vademecum.api.station import Station, use_case
from vademecum.domain.item import Item
from vademecum.domain.query import Bundle, Hit, Query, Recall, Scope, scope_of
from vademecum.domain.why_nothing import COULD_NOT_SEARCH
from vademecum.inject.ask import asked, prepared, topics, why, with_story
from vademecum.inject.briefing_extras import Instructions
from vademecum.inject.context import RecallContext
from vademecum.inject.last_work import with_last_handoff
from vademecum.maintenance.own_questions import Answered
from vademecum.plugin import last_words_of
from vademecum.ports.index import Index

if TYPE_CHECKING:
    from vademecum.domain.host import Delivery
    from vademecum.maintenance.as_of import Past

#: Most tokens for an agent of a host without hooks.
INJECT_TOKENS = 2000


class RecallAPI(Station[RecallContext]):
    """Answers for a person or program, and text for an agent.

    Args:
        substitute: creates an empty in-memory index, used if the real one cannot be opened. past: returns the memory at an earlier time.
    """

    def __init__(self, context: RecallContext, substitute: Callable[[], Index], past: "Callable[[], Past]") -> None:
        super().__init__(context)
        self._substitute, self._past = substitute, past

    def ask(self, query: Query) -> Recall:
        """Answer a question; the answer is empty if nothing is known. Its trace is stored for :meth:`why`."""
        asked = prepared(self.context, query)
        context, searcher = self.context.context, self.context.searcher
        if asked.scope.as_of is not None:
            from vademecum.maintenance.as_of import recall_as_of

            return with_story(self.context, recall_as_of(context, searcher, asked, self._past()))
        result = searcher.recall(asked)
        if result.verdict == COULD_NOT_SEARCH:
            from vademecum.maintenance.rebuild import answer_and_heal

            result = answer_and_heal(context, searcher, asked, self._substitute())
        elif not result.hits and not context.index.is_complete():
            from vademecum.maintenance.rebuild import answer_and_complete

            result = answer_and_complete(context, searcher, asked)
        if self._edited(result):
            result = searcher.recall(asked)
        result = with_last_handoff(self.context, result)
        if asked.multi_hop and result.hits:
            from vademecum.recall.link_expansion import with_one_hop

            result = with_one_hop(context.index, result)
        if query.budget_tokens and not query.unasked:
            from vademecum.inject.bundle_text import within

            result = within(result, query.budget_tokens, context.clock.now())
        if result.hits and not query.unasked:
            context.state.usage.note("found", [hit.item.key for hit in result.hits], context.clock.now())
        return with_story(self.context, result)

    def _edited(self, result: Recall) -> bool:
        """Index what the person edited by hand in the memories of an answer; return whether anything was edited."""
        keys = list(dict.fromkeys(hit.item.key for hit in result.hits if hit.item.source == "memory"))
        if not keys:
            return False
        from vademecum.sync.edits import is_edited

        if not is_edited(self.context.context, keys):
            return False
        from vademecum.sync.index import follow_edits

        return follow_edits(self.context.context, keys)

    def candidates(self, query: Query, hits: Sequence[Hit]) -> tuple[Hit, ...]:
        """Return the nearest results besides the hits of the same question, best first, without a threshold.

        Nothing is recorded, neither the question for :meth:`why` nor the results.
        """
        known = {hit.number for hit in hits}
        result = self.context.searcher.recall(prepared(self.context, replace(query, gated=False)))
        return tuple(hit for hit in result.hits if hit.number not in known)

    def own_questions(self) -> tuple[Answered, ...]:
        """Ask all questions that active memories list as theirs, and return the rank of each memory in its answer."""
        from vademecum.maintenance.own_questions import own_questions

        return own_questions(self.context.context, self.ask)

    def about(self, text: str) -> tuple[Item, ...]:
        """Return memories and documents related to a text, best first, by shared rare words.

        The text is a statement, so the scoring of questions does not apply.
        """
        from vademecum.language.text import common_words
        from vademecum.write.related import ALIKE, RELATED_MAX

        query = Query(text, Scope(sources=("memory", "document")), self.context.limits.profile, RELATED_MAX * 2, gated=False)
        index = self.context.context.index
        words = frozenset(index.terms(text, common_words(text)))
        pairs = [(hit, f"{hit.item.title} {hit.passage.text}") for hit in self.ask(query).hits]
        near = [hit for hit, entry in pairs if len(words & {*index.terms(entry, common_words(entry))}) >= ALIKE]
        return tuple({hit.item.key: hit.item for hit in near}.values())

    def bundle(self, query: Query) -> Bundle:
        """Return the text for an agent about a question. Its memories are recorded as shown.

        An agent in a project is shown nothing of other projects unless the scope names them (X-43). The ranker of a profile may compose
        the text.
        """
        from vademecum.inject import bundle
        from vademecum.recall.rankers import ranker_named

        own_form = ranker_named(query.profile).compose
        compose = partial(own_form, self.context) if own_form else None
        return bundle.bundle(self.context, query, self.ask, compose)

    def briefing(self, project: str = "", budget: int = 0, session: str = "", context: str = "", agent: str = "") -> Bundle:
        """Return a briefing (:func:`vademecum.inject.briefing.briefing`); that of an agent includes the end of its last chat."""
        from vademecum.inject.briefing import BriefingRequest, briefing

        left = last_words_of(self.context.context, agent) if agent else None
        request = BriefingRequest(
            project=project, budget=budget, session=session, context=context, agent=agent, last_words=left
        )
        return briefing(self.context, request)

    def inject(self, agent: str, question: str = "", project: str = "", budget: int = 0) -> Bundle:
        """Return the text for a new session in a host without hooks: a briefing, then the answer to a question.

        Args:
            budget: most tokens of both, at most :data:`INJECT_TOKENS`; 0: that many.
        """
        from vademecum.sessions.working_set import joined_bundles

        most = min(budget or INJECT_TOKENS, INJECT_TOKENS)
        result = self.briefing(project, most * 2 // 3 if question else most, agent=agent)
        if not question:
            return result
        scope = scope_of(project=project, agent=agent)
        left = most - result.tokens - 2  # for the blank line between them
        asked = Query(
            question, scope, self.context.limits.profile, budget_tokens=left, seen=frozenset(result.keys), unasked=True
        )
        answer = self.bundle(asked)
        return replace(joined_bundles(result, answer), budget_tokens=most, keys=(*result.keys, *answer.keys),
                       loaded=(*result.loaded, *answer.loaded), omitted=(*result.omitted, *answer.omitted))  # fmt: skip

    def instructions(self, agent: str = "", project: str = "") -> Instructions:
        """Return instructions for an agent without hooks, so that it reads and writes memory by itself."""
        from vademecum.inject.briefing_extras import instructions

        return instructions(agent, project or self.context.project, self.context.context.vault.spaces[0].root)

    core: "use_case[RecallContext, ..., Bundle]" = use_case.late("inject.briefing", "core_memory")
    deliver: "use_case[RecallContext, ..., Delivery]" = use_case.late("inject.deliver", "deliver")
    topics = use_case(topics)
    why = use_case(why)
    asked = use_case(asked)
