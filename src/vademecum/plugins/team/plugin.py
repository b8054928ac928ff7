"""What this plugin adds."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from vademecum.plugin import Demo, Plugin, late, rows_in

if TYPE_CHECKING:
    from vademecum.domain.memory import Space
    from vademecum.settings import Settings


def _mirrors(settings: "Settings") -> "Iterable[Space]":
    data = Path(settings.data_dir)
    mirrors: Iterable[Space] = late("vademecum.plugins.team.client", "mirrors")(data) if (data / "teams").is_dir() else ()
    return mirrors


PLUGIN = Plugin(
    name="team",
    about="Share memories with a team, over a server of its own.",
    verbs=rows_in("vademecum.plugins.team.verbs", "VERBS"),
    words="share unshare team",
    commands=rows_in("vademecum.plugins.team.commands", "COMMANDS"),
    first_words={"team": "Spaces that a team shares over a server of its own: docs/team.md."},
    usual={"team": "spaces"},
    menu={"Connect": "team share unshare"},
    examples="""
share: share "Deploy with make release" --to shop
share: share --kind decision --project shop --to shop
unshare: unshare "Deploy with make release" --from shop
unshare: unshare 8ZSWGM5N --from shop
team spaces: team spaces
team spaces: team spaces --json
team join: team join https://memory.example.org/join/abc
team join: team join https://memory.example.org/join/abc --json
team sync: team sync
team sync: team sync shop
team leave: team leave shop
team leave: team leave shop --yes
team members: team members shop
team members: team members shop --json
team invite: team invite shop Robin
team invite: team invite shop release-bot --rotate
team revoke: team revoke shop Robin
team revoke: team revoke shop Robin --json
team audit: team audit shop
team audit: team audit shop --limit 20
team search: team search "how do we deploy" --space shop
team search: team search redis --space shop --limit 5
team export: team export shop shop-memories
team export: team export shop shop-memories --json
team prepare: team prepare
team prepare: team prepare --json
team open: team open shop --keeper Robin
team open: team open garden --keeper Kim
team serve: team serve
team serve: --config server.toml team serve
team backup: team backup shop shop.backup
team backup: team backup shop shop.backup --unencrypted
team restore: team restore shop.backup
team restore: team restore shop.backup --json
""",
    jobs=rows_in("vademecum.plugins.team.jobs", "JOBS"),
    demos=lambda: (
        Demo(
            "team",
            "Show a server and two members: one shares a memory, the other recalls it, and one leaves.",
            late("vademecum.plugins.team.demo", "run_team"),
        ),
    ),
    spaces=_mirrors,
)
