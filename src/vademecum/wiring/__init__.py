"""Builds the memory from settings. The only package that knows which adapters exist; heavy ones are imported when chosen.

Each module is imported with the first use of one of its names: a hook without a helper, or a command, needs few of them.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from vademecum.adapters.installation import adding as adding_packages
    from vademecum.adapters.installation import installation
    from vademecum.wiring.by_words import WordsOnly, open_by_words, printed_to, words_only
    from vademecum.wiring.configured import (
        judge_outside,
        languages_of,
        load_settings,
        policy_of,
        registries,
        settings_changed,
        store_settings,
    )
    from vademecum.wiring.hooks import parts_for
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
        prompt_events,
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

#: Module of the package -> names exported here.
_SHOWN = {
    "adapters.installation": "installation",
    "wiring.by_words": "WordsOnly open_by_words printed_to words_only",
    "wiring.configured": "judge_outside languages_of load_settings policy_of registries settings_changed store_settings",
    "wiring.hooks": "parts_for",
    "wiring.hosts": (
        "HostHere Target faults_of_commands first_start folders_of_hosts hook_events hook_parts hosts_here "
        "install_targets installer merge_file obsidian_vaults other_names prompt_events"
    ),
    "wiring.memory": "is_moved load_before_forks load_everything open_context open_memory open_recall",
    "wiring.models": "readers_here stronger_model usual_model",
    "wiring.outside": "ask_helper changes_of clock_at line_to listen_by parse_transcript system_clock",
    "wiring.sealed_files": "is_sealed",
    "wiring.spaces": "HOME_NAME is_home project_of project_root project_signs",
    "wiring.stores": "access_token pauses_of ready_briefings",
}
#: Exported name -> its module.
_WHERE = {name: module for module, names in _SHOWN.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    """Import a name with its first use."""
    if name in ("adding_packages", "installation"):
        from vademecum.adapters import installation

        return installation.adding if name == "adding_packages" else installation.installation
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"vademecum.{_WHERE[name]}"), name)
