"""This machine: clock, programs, private folders, HTTP, and stored settings."""

from vademecum.adapters.clock import SystemClock, new_token
from vademecum.adapters.device.private_files import private_folder
from vademecum.adapters.installation import adding, adding_extra
from vademecum.adapters.stores.analysis import Words
from vademecum.adapters.stores.texts import clean
from vademecum.adapters.web.http_client import HttpFailure, Refusal, get, post
from vademecum.wiring import (
    adding_packages,
    install_targets,
    installer,
    load_settings,
    open_memory,
    settings_changed,
    store_settings,
    system_clock,
)
from vademecum.wiring.configured import policy_of
from vademecum.wiring.models import server_embedder
from vademecum.wiring.sealed_files import backup_files
from vademecum.wiring.stores import device_id
