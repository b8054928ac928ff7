"""How to talk with the person, by context (VO-10)."""

import pytest

from vademecum.domain.errors import InvalidInput
from vademecum.domain.host import HookEvent
from vademecum.plugins.styles import styles
from vademecum.plugins.styles.styles import StyleParts


def test_styles_by_context(memory):
    """VO-10: exactly this context or everywhere, the most important first, five at most."""
    styles.add(memory.context, StyleParts(context="default", description="Be brief.", importance=0.5))
    styles.add(
        memory.context,
        StyleParts(context="email", description="Be formal.", examples=("Dear all,", "Kind regards"), importance=0.9),
    )
    styles.add(memory.context, StyleParts(context="email to friends", description="Be warm."))
    found = styles.matching(memory.context, "email")
    assert [(one.context, one.description, one.examples) for one in found] == [
        ("email", "Be formal.", ("Dear all,", "Kind regards")),
        ("default", "Be brief.", ()),
    ]
    assert [one.context for one in styles.matching(memory.context, "chat")] == ["default"]
    assert len(styles.matching(memory.context)) == 3
    for number in range(6):
        styles.add(memory.context, StyleParts(context="email", description=f"Rule number {number}.", importance=0.6))
    assert [one.importance for one in styles.matching(memory.context, "email")] == [0.9, 0.6, 0.6, 0.6, 0.6]


def test_style_changes(memory):
    """VO-10: an update changes what is given; an empty one is an error; the same words hold in two contexts."""
    first = styles.add(memory.context, StyleParts(context="email", description="Be formal.", examples=("Dear all,",))).memory
    second = styles.add(memory.context, StyleParts(context="default", description="Be formal.")).memory
    assert first.id != second.id
    with pytest.raises(InvalidInput, match="Nothing to change"):
        styles.update(memory.context, first.id, StyleParts())
    styles.update(memory.context, first.id, StyleParts(importance=0.9))
    styles.update(memory.context, first.id, StyleParts(description="Be very formal."))
    styles.update(memory.context, first.id, StyleParts(context="letters"))
    (changed,) = [one for one in styles.matching(memory.context, "letters") if one.context == "letters"]
    assert (changed.id, changed.description, changed.examples, changed.importance) == (
        first.id,
        "Be very formal.",
        ("Dear all,",),
        0.9,
    )
    styles.remove(memory.context, first.id)
    assert [one.id for one in styles.matching(memory.context)] == [second.id]
    kept = memory.notes.save("fact", "The sea is salty").memory
    with pytest.raises(InvalidInput, match="no style"):
        styles.update(memory.context, kept.id, StyleParts(description="x"))
    with pytest.raises(InvalidInput, match="description"):
        styles.add(memory.context, StyleParts(context="email", description=" "))


def test_styles_briefed(memory):
    """VO-10: a session is told the styles for its host and those for everywhere, and no others."""
    styles.add(memory.context, StyleParts(context="default", description="Be brief."))
    styles.add(memory.context, StyleParts(context="codex", description="Show diffs."))
    styles.add(memory.context, StyleParts(context="email", description="Be formal."))
    told = memory.recall.deliver(HookEvent("codex", "start", "SessionStart", "s1", "/tmp", cause="startup")).text
    assert ("Be brief" in told, "Show diffs" in told, "Be formal" in told) == (True, True, False)
    assert "Be formal" in memory.recall.briefing(context="email").text
