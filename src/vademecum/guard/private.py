"""Find what must not be stored: secrets always, personal data if the person chose so, and nothing on the allow-list."""

from vademecum.domain.guarding import Policy
from vademecum.guard.personal import find_personal
from vademecum.guard.secrets import Secret, find_secrets, placeholders


def find_private(text: str, policy: Policy) -> list[Secret]:
    """Return the positions of what must be removed, in order, not overlapping."""
    secrets = [find_secret for find_secret in find_secrets(text) if not _is_allowed(find_secret, text, policy)]
    if not policy.personal:
        return secrets
    done = [*placeholders(text), *secrets]
    for secret in find_personal(text, policy.personal):
        if not _is_allowed(secret, text, policy) and all(
            secret.start >= other.end or secret.end <= other.start for other in done
        ):
            done.append(secret)
            secrets.append(secret)
    return sorted(secrets, key=lambda secret: secret.start)


def _is_allowed(secret: Secret, text: str, policy: Policy) -> bool:
    if not policy.allowed:
        return False
    import hashlib  # noqa: PLC0415 -- takes 3 ms and is rarely needed

    value = text[secret.start : secret.end]
    digest = "sha256:" + hashlib.sha256(value.encode("utf-8", "surrogatepass")).hexdigest()
    return bool(policy.allowed & {secret.type, value, digest})
