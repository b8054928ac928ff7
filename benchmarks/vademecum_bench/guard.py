"""`vade bench guard`: detection and false-positive rates of the guard, by class, on reproducible texts.

Secrets are generated from the formats that their issuers publish, with values that no test uses; orders and harmless texts are
our own. docs/security.md has the rates on corpora of others, which are not distributed.
"""

import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from vademecum.guard import Verdict
from vademecum_bench.guard_corpora import HELD
from vademecum_bench.guard_set import BENIGN, ORDERS
from vademecum_bench.made_secrets import SECRETS, use_variant

#: Returns the guard's verdict on an external text.
Judge = Callable[[str], Verdict]

#: Number of values generated for each format.
VARIANTS = 5


def bench_guard(judge: Judge) -> dict[str, Any]:
    """Return rates by class: `secrets`, `orders` and `benign`, each `{class: [found, of]}`, and microseconds per text."""
    began = time.perf_counter()
    secrets = {rule: _secrets(judge, rows) for rule, rows in SECRETS.items()}
    orders = {name: _count(judge(text).action in HELD for text in texts) for name, texts in ORDERS.items()}
    judged = [judge(text) for text in BENIGN]
    texts = sum(of for _, of in (*secrets.values(), *orders.values())) + len(BENIGN)
    return {
        "secrets": secrets,
        "secrets_total": _total(secrets),
        "orders": orders,
        "orders_total": _total(orders),
        "benign_quarantined": _count(one.action in HELD for one in judged),
        "benign_with_secret": _count(_has_secret(one) for one in judged),
        "us_per_text": round((time.perf_counter() - began) * 1e6 / texts, 1),
    }


def _secrets(judge: Judge, rows: Iterable[tuple[str, Callable[[], str]]]) -> list[int]:
    found = []
    try:
        for number in range(VARIANTS):
            use_variant(f"bench {number} ")
            found += [_has_secret(judge(f"Note: {text.format(make())} (see the wiki)")) for text, make in rows]
    finally:
        use_variant("")
    return _count(found)


def _has_secret(verdict: Verdict) -> bool:
    return any(finding.kind == "secret" for finding in verdict.findings)


def _count(hits: Iterable[bool]) -> list[int]:
    listed = list(hits)
    return [sum(listed), len(listed)]


def _total(counts: Mapping[str, list[int]]) -> list[int]:
    return [sum(found for found, _ in counts.values()), sum(of for _, of in counts.values())]
