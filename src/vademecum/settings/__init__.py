"""All settings, defined once as data: name, type, unit, default, meaning, check. Only this package reads the environment.

Precedence, lowest first: default, configuration file, environment (VADEMECUM_<NAME>), command line. The rest of the code
receives values. docs/settings.md and the help pages are generated from the same rows.
"""

from vademecum.settings.definitions import (
    EVERYDAY,
    GROUPS,
    Settings,
    groups,
    in_file,
    plugin_rows,
    row_named,
    rows,
    takes,
)
from vademecum.settings.places import (
    OTHERS,
    OWNER_NAME,
    claim_data,
    config_path,
    device_folder,
    socket_path,
    stop_files,
)
from vademecum.settings.process import (
    environment,
    environment_of_helper,
    environment_of_model,
    environment_of_started,
    search_path,
    take_environment,
    was_started,
    working_directory,
)
from vademecum.settings.sources import (
    Registries,
    checked_value,
    flat,
    is_unused,
    load,
    looser,
    no_memory,
    observed,
    pinned_home,
    words_of,
)
