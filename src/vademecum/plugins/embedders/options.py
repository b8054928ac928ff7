"""What a borrowed model may need to know."""

from vademecum.plugin_api.embedders import Endpoint


class Options(Endpoint, frozen=True):
    """How a model is reached, and what it wants.

    Attributes:
        query_prefix, passage_prefix: put before the texts of a role; None is what the model is known to want.
        dim: numbers in a vector; None asks the model.
    """

    timeout_s: float = 10
    query_prefix: str | None = None
    passage_prefix: str | None = None
    dim: int | None = None
