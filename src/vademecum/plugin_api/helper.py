"""The helper process: call it from a command, and run work on its memory."""

from vademecum.doctor.checks import Finding
from vademecum.entrypoints.caller import Caller, current_config, current_settings
from vademecum.entrypoints.cli.hosts import place_client
from vademecum.entrypoints.daemon.call import call, ensure
from vademecum.entrypoints.daemon.reading_lane import LaneClosed, ReadingLane
from vademecum.entrypoints.doctor_findings import checked_up
from vademecum.entrypoints.hooks.place import write_client
from vademecum.entrypoints.verbs import verb_named
