"""Settings -> memory: the only package that knows which adapters exist. Heavy ones are imported when they are chosen."""

from vademecum.adapters.installation import adding as adding_packages
from vademecum.adapters.installation import installation
from vademecum.wiring.configured import (
    judge_outside,
    languages_of,
    load_settings,
    policy_of,
    registries,
    settings_changed,
    store_settings,
)
from vademecum.wiring.hosts import (
    HostHere,
    Target,
    faults_of_commands,
    first_start,
    folders_of_hosts,
    hook_events,
    hook_parts,
    hosts_here,
    install_targets,
    installer,
    merge_file,
    obsidian_vaults,
    other_names,
)
from vademecum.wiring.memory import (
    is_moved,
    load_before_forks,
    load_everything,
    open_context,
    open_memory,
    open_recall,
)
from vademecum.wiring.models import readers_here, stronger_model, usual_model
from vademecum.wiring.outside import (
    ask_helper,
    changes_of,
    clock_at,
    line_to,
    listen_by,
    parse_transcript,
    system_clock,
)
from vademecum.wiring.sealed_files import is_sealed
from vademecum.wiring.spaces import (
    HOME_NAME,
    is_home,
    project_of,
    project_root,
    project_signs,
)
from vademecum.wiring.stores import (
    access_token,
    pauses_of,
    ready_briefings,
)

__all__ = [
    "HOME_NAME",
    "HostHere",
    "Target",
    "access_token",
    "adding_packages",
    "ask_helper",
    "changes_of",
    "clock_at",
    "faults_of_commands",
    "first_start",
    "folders_of_hosts",
    "hook_events",
    "hook_parts",
    "hosts_here",
    "install_targets",
    "installation",
    "installer",
    "is_home",
    "is_moved",
    "is_sealed",
    "judge_outside",
    "languages_of",
    "line_to",
    "listen_by",
    "load_before_forks",
    "load_everything",
    "load_settings",
    "merge_file",
    "obsidian_vaults",
    "open_context",
    "open_memory",
    "open_recall",
    "other_names",
    "parse_transcript",
    "pauses_of",
    "policy_of",
    "project_of",
    "project_root",
    "project_signs",
    "readers_here",
    "ready_briefings",
    "registries",
    "settings_changed",
    "store_settings",
    "stronger_model",
    "system_clock",
    "usual_model",
]
