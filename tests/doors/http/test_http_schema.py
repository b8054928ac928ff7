"""The published document holds: schemathesis calls every route with what it allows and with what it does not."""

import asyncio
import threading

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, settings
from schemathesis.checks import load_all_checks
from schemathesis.config import ChecksConfig, ProjectConfig, ProjectsConfig, SchemathesisConfig
from schemathesis.specs.openapi.checks import ignored_auth

from vademecum.doors.calling import OwnThread
from vademecum.doors.http.access import Access
from vademecum.doors.http.app import build_app
from vademecum.doors.verbs import VERBS
from vademecum.wiring import open_memory

TOKEN = "t0ken-that-is-long-enough"
#: What takes seconds or reaches outside of the memory when it is called with anything at all.
LEFT_OUT = ("rebuild", "capture", "sync")


@pytest.mark.slow
def test_document_holds(caller, settings_for, tmp_path):
    """No call that the document allows is refused as malformed, none that it forbids is accepted, no answer is another than
    promised, nothing ends in a fault."""
