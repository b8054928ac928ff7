"""`vade doctor`: whether everything works, for a person and for programs. Ends with 1 when something does not."""

from typing import TYPE_CHECKING, Any

import click

from vademecum import __version__
from vademecum.entrypoints.answers import json_line
from vademecum.entrypoints.caller import current_config, current_settings
from vademecum.entrypoints.cli.terminal import say
from vademecum.entrypoints.doctor_findings import checked_up

if TYPE_CHECKING:
    from vademecum.doctor.checks import Finding

#: Version of the JSON object; raised when a field changes its meaning.
SCHEMA_VERSION = 1
_MARKS = {"ok": "ok  ", "warn": "WARN", "fail": "FAIL", "skip": "-   "}


@click.command("doctor")
@click.option("--canary", "sing", is_flag=True, help="Save and recall in a temporary memory now, even if that was done today.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of text.")
@click.pass_context
def doctor(context: click.Context, sing: bool, as_json: bool) -> None:
    """Check that everything works: memory, index, helper, hooks, each host, and whether sessions on disk were really captured.

    Changes nothing. Ends with 1 when a check fails; a warning does not count.
    """
    findings = checked_up(current_settings(forgiving=True), current_config(), sing=sing)
    if as_json:
        click.echo(json_line(_report(findings)))
    else:
        say(_text(findings))
    if any(finding.status == "fail" for finding in findings):
        context.exit(1)


def _report(findings: "list[Finding]") -> dict[str, Any]:
    counts = {status: sum(finding.status == status for finding in findings) for status in _MARKS}
    return {
        "schemaVersion": SCHEMA_VERSION,
        "version": __version__,
        "ok": not counts["fail"],
        "counts": counts,
        "checks": findings,
    }


def _text(found: "list[Finding]") -> str:
    """Return one line for each check; checks that do not apply to this machine are only counted."""
    width = max(len(finding.id) for finding in found)
    lines = []
    for finding in found:
        if finding.status != "skip":
            lines.append(f"{_MARKS[finding.status]}  {finding.id:<{width}}  {finding.details}")
            if finding.hint and finding.status != "ok":
                lines.append(f"{'':<{width + 8}}-> {finding.hint}")
    counts = {status: sum(one.status == status for one in found) for status in _MARKS}
    lines.append(f"{counts['ok']} ok, {counts['warn']} warnings, {counts['fail']} failed, {counts['skip']} skipped")
    return "\n".join(lines)


COMMANDS = (doctor,)
