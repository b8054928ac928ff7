"""What a wiki looks like: the folder of each kind and facet, and the folders and fields that the sorts of wiki bring along."""

from collections.abc import Mapping

from msgspec import Struct

#: Its folder in a space; generated pages at its top, by which a space is known to have one; folders of pages that are no memories.
FOLDER = "wiki"
PAGES = ("hot.md", "index.md", "log.md", "overview.md")
META, FOLDS = "meta", "folds"
#: Texts that pages were made of, as they came; never changed. What is known of each stands beside them.
RAW, MANIFEST = ".raw", ".manifest.json"
#: Letters of the keys of its pages, a hyphen and a number behind them: DEC-01.
KEYS = ("SP", "FP", "DEC", "SPEC", "PLAN", "CP", "REV", "EV")

#: Kind -> its folder.
SECTION_OF: Mapping[str, str] = {
    "module": "modules", "component": "components", "dependency": "dependencies", "flow": "flows", "entity": "entities",
    "concept": "concepts", "decision": "decisions", "spec": "decisions", "plan": "flows", "source": "sources",
}  # fmt: skip
#: Another system's word -> its folder, where that is not the folder of its kind.
FACET_SECTION: Mapping[str, str] = {
    "success_pattern": "modules", "failure_pattern": "flows", "review": "decisions", "question": "questions",
    "synthesis": "synthesis", "reference": "references", "observability": "decisions",
}  # fmt: skip


class Section(Struct, frozen=True):
    """A folder of a wiki: the kind of a page in it that does not say its own, and the fields that its pages have."""

    kind: str
    fields: tuple[str, ...] = ()


class Mode(Struct, frozen=True):
    """A sort of wiki (HW-19). Attributes: sections: folder -> what stands there, beside the :data:`COMMON` ones."""

    meaning: str
    sections: Mapping[str, Section]


COMMON: Mapping[str, Section] = {
    "sources": Section("source", ("author", "published", "url")),
    "entities": Section("entity", ("role", "first_mentioned")),
    "concepts": Section("concept", ("domain", "complexity")),
    "questions": Section("fact", ("question", "answer_quality")),
}
_DECISIONS = Section("decision", ("decision_type", "decided", "alternatives"))

MODES: Mapping[str, Mode] = {
    "A": Mode("a website", {
        "pages": Section("component", ("url", "page_type", "target_keyword")),
        "structure": Section("flow", ("parent", "navigation")),
        "audits": Section("lesson", ("audited", "score")),
        "keywords": Section("concept", ("volume", "intent")),
    }),
    "B": Mode("a repository", {
        "modules": Section("module", ("path", "language", "purpose", "maintainer", "last_updated",
                                      "linked_issues", "depends_on", "used_by")),
        "components": Section("component", ("path", "used_by", "depends_on")),
        "decisions": _DECISIONS,
        "dependencies": Section("dependency", ("version", "license", "risk")),
        "flows": Section("flow", ("trigger", "steps", "plan_status")),
    }),
    "C": Mode("a business or a project", {
        "stakeholders": Section("entity", ("role", "organisation", "influence")),
        "decisions": _DECISIONS,
        "deliverables": Section("plan", ("due", "owner", "plan_status")),
        "intel": Section("fact", ("about", "reliability")),
        "comms": Section("event", ("participants", "held")),
    }),
    "D": Mode("a life", {
        "goals": Section("plan", ("area", "target_date", "progress")),
        "learning": Section("lesson", ("topic", "level")),
        "people": Section("entity", ("relationship", "last_contact")),
        "areas": Section("concept", ("standard", "review_every")),
        "resources": Section("source", ("url", "format")),
    }),
    "E": Mode("a field of research", {
        "papers": Section("source", ("authors", "year", "venue", "key_claim")),
        "thesis": Section("concept", ("claim", "evidence_for", "evidence_against")),
        "gaps": Section("task", ("question", "priority")),
    }),
    "F": Mode("a book or a course", {
        "characters": Section("entity", ("role", "arc", "first_appears")),
        "themes": Section("concept", ("chapters",)),
        "timeline": Section("event", ("when", "chapter")),
        "synthesis": Section("concept", ("draws_on",)),
    }),
}  # fmt: skip

#: Folder -> kind of a page in it that does not say its own.
KIND_IN: Mapping[str, str] = {
    **{folder: section.kind for mode in MODES.values() for folder, section in mode.sections.items()},
    **{folder: section.kind for folder, section in COMMON.items()},
    "decisions": "decision", "flows": "flow", "modules": "module",
    "skills": "skill", "references": "source", "journal": "event", "projects": "project",
}  # fmt: skip

#: How far a page of a wiki has come; such a page holds, whatever word says so.
MATURITY = frozenset({"seed", "developing", "mature", "evergreen", "draft", "reviewed", "verified"})


def section_of(kind: str, facet: str = "") -> str:
    """Return the folder of a page in a wiki; "" when its kind has none there."""
    return FACET_SECTION.get(facet) or SECTION_OF.get(kind, "")


def is_page(path: str) -> bool:
    """Return whether a file of a space, by its path in it, is a page of a wiki that is generated, or a report."""
    folder, _, rest = path.partition("/")
    return folder == FOLDER and (rest in PAGES or rest.startswith((f"{META}/", f"{FOLDS}/")))
