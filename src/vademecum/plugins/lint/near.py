"""Findings for notes that say nearly the same."""

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from vademecum.plugin_api.memory import Context
from vademecum.plugin_api.upkeep import ERROR, ERROR_WORDS, Page, alike, is_compared
from vademecum.plugins.lint.checks import Finding, finding


def near_duplicates(context: Context, pages: Sequence[Page]) -> Iterator[Finding]:
    """Yield findings for pairs of memories, and pairs of the person's notes, that say nearly the same.

    Nothing without an embedder. Disputed memories are left to their own check.
    """
    for memories in (True, False):
        chosen = [page for page in pages if (page.found is not None) == memories and is_compared(page)]
        chosen.sort(key=lambda page: page.ref, reverse=True)  # the later memory is reported, with the earlier one as `other`
        for page, other, share, cosine in alike(context, chosen):
            doubled = finding("near-duplicate", page.path, why_alike(other, cosine), page.ref, other=other.path)
            yield replace(doubled, level="error") if cosine >= ERROR and share >= ERROR_WORDS else doubled


def why_alike(other: Page, cosine: float) -> str:
    """Return the sentence that a page says nearly the same as another one."""
    return f"It says nearly what {other.title!r} says ({cosine:.2f})."
