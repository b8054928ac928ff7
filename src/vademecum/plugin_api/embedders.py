"""Embedders: HTTP endpoints, checks of vectors, and calibration of a model's similarities."""

from vademecum.adapters.embedders.calibration import calibration_of
from vademecum.adapters.embedders.rows import checked, filled
from vademecum.adapters.web.endpoint import Endpoint, Passing
from vademecum.adapters.web.http_client import PASSING, NoAnswer, NotHttp, NotJson
