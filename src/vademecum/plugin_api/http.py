"""Applications on the helper's HTTP port, and older routes."""

from vademecum.entrypoints.http.access import App, Receive, Refusal, Scope, Send, send_problem
from vademecum.entrypoints.http.app import STATUS_OF
from vademecum.entrypoints.http.beside import WebApp
from vademecum.entrypoints.http.older import OlderRoute, object_schema
from vademecum.entrypoints.rate_limits import Bucket, TooMany
