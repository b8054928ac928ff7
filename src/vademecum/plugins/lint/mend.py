"""Corrections that need no decision: dates, order, missing properties, one-sided supersessions, names of missing memories."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from vademecum.domain.relations import SUPERSEDING
from vademecum.plugin_api.upkeep import Names, Page
from vademecum.plugin_api.vault import Mend
from vademecum.plugins.lint.chains import dangling
from vademecum.plugins.lint.checks import Finding
from vademecum.plugins.lint.schema import bad_dates, date_meant


def mends_for(findings: Sequence[Finding], pages: Sequence[Page], names: Names) -> list[Mend]:
    """Return the changes of properties that resolve all fixable findings."""
    by_key = {page.key: page for page in pages if page.found}
    by_path = {page.path: page for page in by_key.values()}
    changes: dict[str, dict[str, Any]] = defaultdict(dict)
    ordered = {found.path for found in findings if found.check == "field-order" and found.fixable}
    for finding in findings:
        if not finding.fixable or finding.path not in by_path:
            continue
        page = by_path[finding.path]
        if finding.check == "date-format":
            changes[page.path] |= _dates(page)
        elif finding.check == "dangling-supersession":
            changes[page.path] |= _without_dangling(page, names, by_key)
        elif finding.check == "supersede-integrity":
            _name_back(page, by_path[finding.other], names, changes)
        else:
            changes[page.path] |= {}
    return [
        Mend(page.ref, page.found.memory.etag, changes[path], path in ordered)
        for path in changes
        if (page := by_path[path]).found is not None
    ]


def _dates(page: Page) -> dict[str, Any]:
    assert page.found is not None
    fields = {name: meant for name, written in bad_dates(page.found).items() if (meant := date_meant(written))}
    return {name: meant if "T" in meant else date.fromisoformat(meant) for name, meant in fields.items()}


def _without_dangling(page: Page, names: Names, by_key: Mapping[str, Page]) -> dict[str, Any]:
    assert page.found is not None
    result = {}
    for name in SUPERSEDING:
        gone = dangling(page, name, names, by_key)
        listed = getattr(page.found.memory, name)
        if gone:
            result[name] = [target for target in listed if target not in gone] or None
    return result


def _name_back(page: Page, other: Page, names: Names, changes: dict[str, dict[str, Any]]) -> None:
    """Add to the other memory which of the two replaced which."""
    assert page.found is not None
    assert other.found is not None
    says_replaced = any(names.leads_to(target) == other.key for target in page.found.memory.supersedes)
    name = "superseded_by" if says_replaced else "supersedes"
    listed = changes[other.path].get(name) or list(getattr(other.found.memory, name))
    changes[other.path][name] = [*listed, page.ref]
