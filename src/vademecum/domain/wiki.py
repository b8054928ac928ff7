"""Layout of a wiki: the folder of each kind and facet, and the folders and fields of each type of wiki."""

from collections.abc import Mapping

from msgspec import Struct

#: Its folder in a space; the generated pages at its top, which identify a space with a wiki; folders of pages that are no
#: memories.
FOLDER = "wiki"
PAGES = ("hot.md", "index.md", "log.md", "overview.md")
META, FOLDS = "meta", "folds"
_IN_FOLDER = f"{FOLDER}/"
#: Original texts from which pages were made, never changed, and the manifest with the facts about each.
RAW, MANIFEST = ".raw", ".manifest.json"
#: Prefixes of the keys of its pages, followed by a hyphen and a number: DEC-01.
KEYS = ("SP", "FP", "DEC", "SPEC", "PLAN", "CP", "REV", "EV")

#: Kind -> its folder.
SECTION_OF: Mapping[str, str] = {
    "module": "modules", "component": "components", "dependency": "dependencies", "flow": "flows", "entity": "entities",
    "concept": "concepts", "decision": "decisions", "spec": "decisions", "plan": "flows", "source": "sources",
}  # fmt: skip
#: Another system's word -> its folder, if that differs from the folder of its kind.
FACET_SECTION: Mapping[str, str] = {
    "success_pattern": "modules", "failure_pattern": "flows", "review": "decisions", "question": "questions",
    "synthesis": "synthesis", "reference": "references", "observability": "decisions",
}  # fmt: skip


class Section(Struct, frozen=True):
    """A folder of a wiki: the default kind of its pages, and the fields of its pages."""

    kind: str
    fields: tuple[str, ...] = ()


class Mode(Struct, frozen=True):
    """A type of wiki (HW-19). Attributes: sections: folder -> its section, in addition to the :data:`COMMON` ones."""

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

#: Folder -> default kind of its pages.
KIND_IN: Mapping[str, str] = {
    **{folder: section.kind for mode in MODES.values() for folder, section in mode.sections.items()},
    **{folder: section.kind for folder, section in COMMON.items()},
    "decisions": "decision", "flows": "flow", "modules": "module",
    "skills": "skill", "references": "source", "journal": "event", "projects": "project",
}  # fmt: skip

#: Maturity labels of a wiki page; a page with any of them is active.
MATURITY = frozenset({"seed", "developing", "mature", "evergreen", "draft", "reviewed", "verified"})


def section_of(kind: str, facet: str = "") -> str:
    """Return the folder of a page in a wiki; "" when its kind has none there."""
    return FACET_SECTION.get(facet) or SECTION_OF.get(kind, "")


def is_page(path: str) -> bool:
    """Return whether a file of a space, by its path in it, is a generated page or a report of a wiki."""
    if not path.startswith(_IN_FOLDER):
        return False
    rest = path.removeprefix(_IN_FOLDER)
    return rest in PAGES or rest.startswith((f"{META}/", f"{FOLDS}/"))
