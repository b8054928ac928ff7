"""Which embedder a name means."""

import subprocess
import sys

import pytest

from vademecum.adapters.embedders import create
from vademecum.domain.errors import UnknownWord


def test_none():
    """Recall by words alone is a choice, not an error."""
    assert create("none") is None


@pytest.mark.parametrize(("name", "suggestion"), [("uze", "use"), ("", "Known")])
def test_unknown_name(name, suggestion):
    """A misspelt embedder is answered with the one that was probably meant."""
    with pytest.raises(UnknownWord) as caught:
        create(name)
    assert suggestion in caught.value.hint


def test_numpy_waits():
    """Choosing no embedder imports no NumPy: hooks start fast."""
    code = "import sys; from vademecum.adapters.embedders import create; create('none'); print('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "False"
