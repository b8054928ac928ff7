"""What can go wrong with an embedder. One class: a caller can only do without it, and tell the person why."""


class EmbedderUnavailable(Exception):
    """Texts cannot be embedded now.

    Attributes:
        hint: what the person can do about it, one sentence.
    """

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.hint = hint
