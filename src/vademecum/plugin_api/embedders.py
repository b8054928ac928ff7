"""Embedders: how an endpoint is reached, what vectors must be, and how near a model puts texts."""

from vademecum.adapters.embedders.calibration import calibration_of
from vademecum.adapters.embedders.rows import checked, filled
from vademecum.adapters.endpoint import Endpoint, Passing
from vademecum.adapters.http_client import PASSING, NoAnswer, NotHttp, NotJson

__all__ = [
    "PASSING",
    "Endpoint",
    "NoAnswer",
    "NotHttp",
    "NotJson",
    "Passing",
    "calibration_of",
    "checked",
    "filled",
]
