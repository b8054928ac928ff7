"""Options of an embedding model."""

from vademecum.plugin_api.embedders import Endpoint


class Options(Endpoint, frozen=True):
    """Address, key and requirements of a model.

    Attributes:
        query_prefix, passage_prefix: put before the texts of a role; None: the known prefix of the model.
        dim: vector dimension; None: ask the model.
    """

    timeout_s: float = 10
    query_prefix: str | None = None
    passage_prefix: str | None = None
    dim: int | None = None
