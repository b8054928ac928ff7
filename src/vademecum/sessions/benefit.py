"""Estimate whether showing memories helps, from the random draws of :mod:`vademecum.domain.benefit` and their outcomes."""

from collections.abc import Mapping
from datetime import datetime

from vademecum.context.context import Context
from vademecum.domain.benefit import Benefit, Lot, benefit_of
from vademecum.domain.relations import CONTRADICTS, MAY_REPLACE, SUPERSEDING
from vademecum.ports.index import Index

#: Edges from a memory to one that it contradicts or replaces.
_OTHERWISE = (CONTRADICTS, MAY_REPLACE, SUPERSEDING[1])


def benefit(context: Context) -> Benefit:
    """Return the current estimate of the benefit of showing memories."""
    lots = context.state.lots.all()
    gainsaid = _gainsaid(context.index) if lots else {}

    def is_wrong(lot: Lot) -> bool:
        moment = gainsaid.get((lot.session, lot.key))
        return moment is not None and moment > lot.at

    return benefit_of(lots, is_wrong, on=context.choices.measure_benefit)


def _gainsaid(index: Index) -> Mapping[tuple[str, str], datetime]:
    """Return (session URI, key of a memory) -> when that session produced a memory that contradicts or replaces it."""
    keys = sorted({key for edge in _OTHERWISE for key in index.with_edge(edge)})
    items, edges = index.items(keys), index.edges(keys)
    return {
        (item.origin, edge.target): item.created
        for key, item in items.items()
        if item.origin and item.created
        for edge in edges.get(key, ())
        if edge.type in _OTHERWISE
    }
