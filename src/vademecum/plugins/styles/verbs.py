"""`vade style list | add | update | remove`."""

from collections.abc import Sequence
from typing import Any

from vademecum.domain.ids import short_id
from vademecum.plugin import on_context
from vademecum.plugin_api.verbs import REQUIRED, Param, Verb, done, edited_text, ref_param, saved_text
from vademecum.plugins.styles import styles
from vademecum.plugins.styles.styles import Style, StyleParts


def _style_parts(required: Any) -> tuple[Param, ...]:
    return (
        Param("description", "text", "How to talk in this context.", required, place=required is REQUIRED, max_chars=4000),
        Param("examples", "list", "An example sentence.", (), max_items=20, max_chars=1000, commas=False),
        Param("importance", "share", "How much it matters, 0 to 1.", None),
    )


def styles_text(results: Sequence[Style]) -> str:
    """Return styles, one line each, with their examples below."""
    if not results:
        return "No style is saved. Save one with: vade style add CONTEXT DESCRIPTION"
    lines: list[str] = []
    for style in results:
        lines.append(f"{style.context}: {style.description}  [{style.importance:g}]  {short_id(style.id)}")
        lines += [f"  - {example}" for example in style.examples]
    return "\n".join(lines)


VERBS = (
    Verb("style list",
         "Styles for a context and those for everywhere, the most important first, five at most; without a context, all.",
         (Param("context", "text", "The context.", "", place=True, max_chars=80),), on_context(styles.matching), styles_text,
         signed=True),
    Verb("style add", "Save how to talk with the person in a context.",
         (Param("context", "text", "The context; default: everywhere.", place=True, max_chars=80), *_style_parts(REQUIRED)),
         on_context(styles.add), saved_text, {"parts": StyleParts}, writes=True, signed=True),
    Verb("style update", "Change what is given of a style.",
         (ref_param(), Param("context", "text", "Another context.", "", max_chars=80), *_style_parts("")),
         on_context(styles.update), edited_text, {"parts": StyleParts}, writes=True, signed=True),
    Verb("style remove", "Archive a style.", (ref_param(),), on_context(styles.remove), done("Archived"), writes=True, signed=True),
)  # fmt: skip
