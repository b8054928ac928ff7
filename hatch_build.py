"""Put the model weights into the tree before a wheel or an editable install is made."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

#: Set to fetch no weights. Without any in the tree, recall goes by words.
WITHOUT = "VADEMECUM_BUILD_WITHOUT_WEIGHTS"


class Weights(BuildHookInterface[Any]):
    """Runs `tools/weights.py`."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called by hatchling before it collects files; `version` is "standard" or "editable"."""
        if os.environ.get(WITHOUT):
            self.app.display_warning(f"{WITHOUT} is set: no model weights were fetched.")
            return
        self.app.display_info("Preparing model weights: 30 MB are fetched the first time on a machine.")
        script = Path(self.root, "tools", "weights.py")
        done = subprocess.run([sys.executable, str(script)], check=False)
        if done.returncode:
            self.app.abort("Vademecum was not built: see the message above.")
