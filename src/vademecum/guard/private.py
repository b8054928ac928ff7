"""What must not be kept of a text: secrets always, personal data where the person says so, and nothing that is on the allow-list."""

from vademecum.domain.guarding import Policy
from vademecum.guard.personal import find_personal
from vademecum.guard.secrets import Secret, find_secrets, placeholders


def find_private(text: str, policy: Policy) -> list[Secret]:
    """Return places of what must go, in order, not overlapping."""
    found = [one for one in find_secrets(text) if not _is_allowed(one, text, policy)]
    if not policy.personal:
        return found
    done = [*placeholders(text), *found]
    for one in find_personal(text, policy.personal):
        if not _is_allowed(one, text, policy) and all(one.start >= other.end or one.end <= other.start for other in done):
            done.append(one)
            found.append(one)
    return sorted(found, key=lambda one: one.start)


def _is_allowed(one: Secret, text: str, policy: Policy) -> bool:
    if not policy.allowed:
        return False
    import hashlib  # noqa: PLC0415 -- 3 ms that hardly anybody needs

    value = text[one.start : one.end]
    digest = "sha256:" + hashlib.sha256(value.encode("utf-8", "surrogatepass")).hexdigest()
    return bool(policy.allowed & {one.type, value, digest})
