"""Check many memories, each as if saved alone, before the vault writes them as one operation."""

from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from vademecum.context.context import Context
from vademecum.domain.errors import InvalidInput, Refused
from vademecum.domain.memory import QUARANTINED, By, Draft
from vademecum.reconcile.decide import step_for
from vademecum.vault import places
from vademecum.vault.read import File
from vademecum.write.gate import guarded, must_not_be_forgotten, signed


class Judged(Struct, frozen=True):
    """Result of checking a draft.

    Attributes:
        outcome: "new"; "waits" although it was to be active, because it instructs agents or conflicts with a known memory;
            "known" word for word; "refused" by the guard, or because it was forgotten. why: reason of a refusal.
    """

    draft: Draft
    outcome: Literal["new", "waits", "known", "refused"]
    why: str = ""


def judged(context: Context, draft: Draft, *, by: By) -> Judged:
    """Check a draft as :func:`vademecum.write.gate.keep` does, without writing it.

    A draft that would change a known memory must wait for the person, and names that memory.
    """
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
        clean = _waiting(
            clean, mining_relation=("contradict" if step.relation == "contradict" else "update"), mining_target=clashing
        )
    waits = wanted == "active" and clean.properties.get("status") == "inbox"
    return Judged(clean, "waits" if waits else "new")


def why_not_back(context: Context, file: File) -> str:
    """Return the reason why a memory of another vault cannot be written here, or ""."""
    if file.path.split("/", 1)[0] == places.JOURNAL or places.is_view(file.path):
        return f"{file.path} is no place of a memory."
    draft = Draft("fact", "", file.text, properties={"source": f"memory://{file.id}"})
    try:
        places.check_path(file.path)
        must_not_be_forgotten(context, draft, By("extraction", "import"))
    except (Refused, InvalidInput) as error:
        return error.message
    return ""


def _waiting(draft: Draft, **properties: object) -> Draft:
    return replace(draft, properties={**draft.properties, "status": "inbox", "mining_route": "review", **properties})
