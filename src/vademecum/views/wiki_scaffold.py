"""Create a wiki in the personal space: its folders, a template for the pages of each, and the generated pages (HW-01, HW-18)."""

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from vademecum.context.context import Context
from vademecum.domain import wiki
from vademecum.domain.errors import UnknownWord
from vademecum.domain.memory import BY_PERSON, By
from vademecum.domain.wiki import COMMON, MODES, Section
from vademecum.views.keep import ViewsReport, keep_views

_TEMPLATES = f"{wiki.FOLDER}/{wiki.META}/templates"
_CONVENTIONS = f"{wiki.FOLDER}/{wiki.META}/conventions.md"


def begin_wiki(context: Context, mode: str = "B", *, by: By = BY_PERSON) -> ViewsReport:
    """Create what is missing of a wiki. Existing files are unchanged, so that a second mode adds its folders.

    From then on decisions, specs, plans and similar kinds are saved in its folders; earlier ones stay where they are.

    Raises:
        UnknownWord: there is no such mode. Refused: memory is switched off.
    """
    if mode.upper() not in MODES:
        raise UnknownWord(
            "mode of a wiki", mode, [f"{letter} ({known.meaning})" for letter, known in MODES.items()], list_all=True
        )
    sections = {**MODES[mode.upper()].sections, **COMMON}
    report = keep_views(context, begins_wiki=True)
    folders = [f"{wiki.FOLDER}/{name}" for name in sections]
    context.vault.pages.make_folders([*folders, wiki.RAW])
    fresh = {
        _CONVENTIONS: _conventions(sections),
        **{f"{_TEMPLATES}/{name}.md": _template(section) for name, section in sections.items()},
    }

    def missing(texts: Sequence[str | None]) -> Sequence[str | None]:
        return [text if old is None else old for text, old in zip(fresh.values(), texts, strict=True)]

    made = context.vault.pages.revise(tuple(fresh), missing, op="wiki", by=by)
    return replace(report, written=tuple(sorted({*report.written, *made})))


def _conventions(sections: Mapping[str, Section]) -> str:
    rows = [f"| {name}/ | {section.kind} | {', '.join(section.fields)} |" for name, section in sections.items()]
    return "\n".join(
        [
            "# Conventions",
            "",
            "A page is one memory: a file with the properties `kind` and `title`; `vade save KIND TITLE` puts it where it belongs.",
            "Of a claim that no source states, say so behind it: `^[inferred]`, or `^[ambiguous]`.",
            f"Sources lie in `{wiki.RAW}/` as they came and are never changed; `vade ingest` makes their pages.",
            f"{', '.join(f'`{name}`' for name in wiki.PAGES)} are generated. What you change there is taken over or waits for you.",
            "",
            "| folder | kind of its pages | fields |",
            "|---|---|---|",
            *rows,
            "",
        ]
    )


def _template(section: Section) -> str:
    fields = "".join(f"{field}:\n" for field in section.fields)
    return f'---\nkind: {section.kind}\ntitle: "{{{{title}}}}"\nsummary:\ntags: []\nrelated: []\nsources: []\n{fields}---\n\n'
