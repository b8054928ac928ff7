"""The table of checks, and the finding of a check. The ids are those of the published designs and are stable."""

from typing import Literal

from msgspec import Struct

Level = Literal["error", "review", "note"]

#: id -> (level, meaning). error: it is wrong. review: look at it. note: informational, only counted.
CHECKS: dict[str, tuple[Level, str]] = {
    "unreadable": ("error", "The file cannot be read, its merge is unfinished, or another file has its id."),
    "required-field": ("error", "A property that every memory has is missing."),
    "date-format": ("error", "A date is not written as 2026-01-31 or 2026-01-31T10:00:00Z."),
    "schema-drift": ("review", "A property has an unknown name or value."),
    "kind-taxonomy": ("review", "The kind is unknown."),
    "placeholder-value": ("review", "A property was never filled in."),
    "kebab-case": ("review", "Some systems do not allow a file of that name."),
    "slug-filename": ("note", "The file is not named after the title."),
    "field-order": ("note", "The properties are not in the documented order."),
    "arc-registry": ("review", "The folder belongs to another project or agent than the memory says."),
    "idea-ledger": ("review", "The status does not match the folder."),
    "note-properties": ("review", "Obsidian cannot read the properties of a note, or not all of them."),
    "note-file": ("review", "A note is not UTF-8, a board that cannot be read, or a copy that a sync tool made."),
    "wikilink-resolution": ("review", "A link has no target."),
    "dead-place": ("review", "A link names a heading or a block that its note does not have."),
    "missing-file": ("review", "An image or another file that a note shows is not there."),
    "missing-page": ("note", "Several notes link to a page that does not exist."),
    "orphan": ("note", "Nothing links to the page and it links to nothing."),
    "unreferenced": ("note", "Nothing links to the page."),
    "cohesion": ("note", "Pages share a tag, but few of them are linked."),
    "dangling-supersession": ("error", "It names a memory that it replaced, or that replaced it, which does not exist."),
    "supersede-integrity": ("error", "Only one of two memories says that it replaced the other."),
    "supersede-cycle": ("error", "Memories replace each other in a circle."),
    "supersede-fork": ("review", "Several active memories replaced the same one."),
    "contradiction": ("review", "Another memory contradicts it, and nobody decided which holds."),
    "doubled-title": ("review", "Two memories of one kind have the same title."),
    "near-duplicate": ("review", "Two notes say nearly the same."),
    "stale-claim": ("review", "Something is marked as to be done or postponed for a long time."),
    "expired": ("review", "It was valid until a day that has passed, and is still active."),
    "refresh-due": ("review", "The day of its review has passed."),
    "empty-section": ("note", "A heading with nothing below it."),
    "frontmatter-gap": ("note", "A page of the wiki has no summary or names no source."),
    "stale-index": ("error", "The index is behind the files."),
    "stale-view": ("review", "A generated page names a memory that does not exist."),
    "ambiguous-share": ("review", "More than 15 % of a page is marked as uncertain."),
    "inferred-share": ("review", "More than 40 % of a page is inferred, and it names no source."),
    "hub-inferred": ("review", "More than 20 % of a page that many link to is inferred."),
    "provenance-drift": ("review", "The shares that a page states are more than 0.20 off."),
    "confidence-drift": ("note", "The confidence that a page states is more than 0.05 off."),
}  # fmt: skip


class Finding(Struct, frozen=True):
    """One finding of a check.

    Attributes:
        check: a key of CHECKS.
        path: of the file, as the person sees it; "": no single file.
        ref: id of the memory, or "".
        other: path of a second note that is concerned, or "".
        fixable: `vade lint --fix` corrects it.
        kind: findings of one check with the same kind are shown as one line; "": each has its own.
    """

    check: str
    level: Level
    path: str
    message: str
    ref: str = ""
    other: str = ""
    fixable: bool = False
    kind: str = ""


def finding(check: str, path: str, message: str, ref: str = "", *, other: str = "", fixable: bool = False) -> Finding:
    """Return a finding at the level of its check."""
    return Finding(check, CHECKS[check][0], path, message, ref, other, fixable)
