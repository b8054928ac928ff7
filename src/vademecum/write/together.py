"""Many memories through the gate as one operation: each judged as if it came alone, all written or none, one undo takes them back."""

from collections.abc import Sequence
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from vademecum.context.context import Context
from vademecum.domain.errors import InvalidInput, Refused
from vademecum.domain.memory import QUARANTINED, By, Draft, Memory
from vademecum.reconcile.decide import Step, step_for
from vademecum.vault import places
from vademecum.vault.read import File
from vademecum.write.gate import guarded, must_not_be_forgotten, signed


class Judged(Struct, frozen=True):
    """What would become of a draft.

    Attributes:
        outcome: "new"; "waits" although it was to be kept: it speaks to an agent, or what is known says otherwise; "known" word for word
            already; "refused" by the guard, or forgotten once. why: of the last.
    """

    draft: Draft
    outcome: Literal["new", "waits", "known", "refused"]
    why: str = ""


def judged(context: Context, draft: Draft, *, by: By) -> Judged:
    """Judge a draft as :func:`vademecum.write.gate.keep` does, and write nothing. What it would do to a known memory, only the person
    decides: then it waits and names that memory."""
    wanted = draft.properties.get("status", "active")
    try:
        clean, _, quarantined = guarded(context, signed(draft, by), by)
        must_not_be_forgotten(context, clean, By("extraction", by.interface))
    except Refused as error:
        return Judged(draft, "refused", error.message)
    if quarantined:
        clean = _waiting(clean, trust=QUARANTINED)
    step = step_for(context, clean)
    if step.relation == "same":
        return Judged(clean, "known")
    clashing = step.likely or (step.others[0] if step.relation in ("update", "contradict") else "")
    if clashing:
        clean = _waiting(clean, mining_relation=_stated(step), mining_target=clashing)
    waits = wanted == "active" and clean.properties.get("status") == "inbox"
    return Judged(clean, "waits" if waits else "new")


def keep_together(context: Context, drafts: Sequence[Draft], op: str, reason: str, *, by: By) -> tuple[Memory, ...]:
    """Write drafts that were judged, all or none.

    Raises:
        Refused: memory is switched off. InvalidInput, WriteFailed: nothing was written.
    """
    return context.vault.save_together(drafts, op, reason, by=by) if drafts else ()


def why_not_back(context: Context, file: File) -> str:
    """Return why a memory of another vault is not written here, "" when nothing speaks against it."""
    if file.path.split("/", 1)[0] == places.JOURNAL or places.is_view(file.path):
        return f"{file.path} is no place of a memory."
    draft = Draft("fact", "", file.text, properties={"source": f"memory://{file.id}"})
    try:
        places.check_path(file.path)
        must_not_be_forgotten(context, draft, By("extraction", "import"))
    except (Refused, InvalidInput) as error:
        return error.message
    return ""


def put_back_together(context: Context, files: Sequence[File], op: str, reason: str, *, by: By) -> tuple[Memory, ...]:
    """Write memories as they lay in another vault, all or none.

    Raises:
        Refused: memory is switched off. InvalidInput, WriteFailed: nothing was written.
    """
    return context.vault.put_back(files, op, reason, by=by)


def _stated(step: Step) -> str:
    return "contradict" if step.relation == "contradict" else "update"


def _waiting(draft: Draft, **properties: object) -> Draft:
    return replace(draft, properties={**draft.properties, "status": "inbox", "mining_route": "review", **properties})
