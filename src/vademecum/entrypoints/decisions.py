"""Effects of decisions about proposals as lines of text, for the verb and for the screen."""

from vademecum.domain.ids import short_id
from vademecum.write.review import Decided, Foreseen

#: Relation of a proposal to an existing memory -> what approving it will do, or did, to that memory.
_DOES = {
    "same": ("confirms", "confirmed instead of saved twice"), "update": ("replaces", "replaced"),
    "contradict": ("is disputed by", "now disputed with"), "extend": ("adds to", "linked as adding to"),
    "derive": ("follows from", "linked as following from"),
}  # fmt: skip


def foreseen_lines(foreseen: Foreseen) -> list[str]:
    """Return what approving would do to existing memories, a line each."""
    lines = [f"approved, it {_DOES[foreseen.relation][0]}: {one.title}" for one in foreseen.others]
    return lines + ([f"if approved, it conflicts with: {foreseen.likely.title}"] if foreseen.likely else [])


def decision_lines(result: Decided) -> list[str]:
    """Return what a decision did to existing memories, a line each."""
    lines = [f"{_DOES[result.relation][1]}: {memory.title} ({short_id(memory.id)})" for memory in result.others]
    if result.relation == "contradict":
        lines.append(f"say which one holds with: vade settle {short_id(result.memory.id)}")
    if result.likely:
        lines.append(f"it may replace {short_id(result.likely)}; decide with vade settle {short_id(result.memory.id)} [--both]")
    lines += [f"written: {result.page}"] if result.page else []
    lines += [f"{result.note} Later: vade idea list --surface"] if result.note else []
    return lines + (["the language model will compare it with a memory about the same subject"] if result.asked else [])
