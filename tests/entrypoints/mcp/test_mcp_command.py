"""`vade mcp`: what hosts start."""

import pytest

from vademecum.domain.errors import VademecumError
from vademecum.entrypoints.mcp.command import run


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('home = "/x"\n[[[x', "not valid TOML"),
        ("", "no memory yet"),
        ("home = 7", "Setting home is 7"),
        ('home = ["/x"]', r"Setting home is \['/x'\]"),
        ("home = true", "Setting home is True"),
        ('home = "/nowhere/at/all"', "There is no vault at /nowhere/at/all"),
    ],
)
def test_no_memory_is_told_at_once(tmp_path, monkeypatch, text, told):
    """A host does not wait for a helper that cannot start, and it is told of a broken file, not that there is no memory."""
    for name in ("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR"):
        monkeypatch.setenv(name, str(tmp_path))
    monkeypatch.delenv("VADEMECUM_HOME", raising=False)
    config = tmp_path / "config.toml"
    config.write_text(text, encoding="utf-8")
    with pytest.raises(VademecumError, match=told) as raised:
        run(config)
    assert not text or "no memory yet" not in str(raised.value)
