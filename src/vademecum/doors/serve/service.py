"""The helper as a service of the person's session: what systemd, launchd or Windows is told, and where that lies."""

import plistlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape

NAME = "vademecum"
LABEL = "org.vademecum.helper"


@dataclass(frozen=True, slots=True)
class Service:
    """One way to be started with the session.

    Attributes:
        path: the file that describes it. start, stop: commands that make it known and running, and take it back.
    """

    path: Path
    text: bytes
    start: tuple[tuple[str, ...], ...]
    stop: tuple[tuple[str, ...], ...]


def service_for(system: str, home: Path, config_home: Path, command: Sequence[str], log: Path) -> Service:
    """The service of this platform.

    Args:
        system: "Linux", "Darwin" or "Windows", as Python names them; others are taken for Linux.
        config_home: where systemd looks for the person's units, on Linux. log: file for what goes wrong while starting.
    """
    if system == "Darwin":
        return _launchd(home, command, log)
    if system == "Windows":
        return _task(home, command)
    return _systemd(config_home, command)


def _systemd(config_home: Path, command: Sequence[str]) -> Service:
    words = " ".join('"' + word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%") + '"' for word in command)
    text = f"""[Unit]
Description=Vademecum, memory for AI tools

[Service]
ExecStart={words}
Restart=on-failure
RestartSec=5
Nice=5
# 8: another helper is running already.
SuccessExitStatus=8

[Install]
WantedBy=default.target
"""
    unit = f"{NAME}.service"
    return Service(
        config_home / "systemd" / "user" / unit,
        text.encode(),
        (("systemctl", "--user", "daemon-reload"), ("systemctl", "--user", "enable", "--now", unit)),
        (("systemctl", "--user", "disable", "--now", unit),),
    )


def _launchd(home: Path, command: Sequence[str], log: Path) -> Service:
    job = {
        "Label": LABEL,
        "ProgramArguments": list(command),
        "RunAtLoad": True,
        "KeepAlive": {"SuccessfulExit": False},
        "ThrottleInterval": 10,
        "ProcessType": "Background",
        "StandardErrorPath": str(log),
    }
    path = home / "Library" / "LaunchAgents" / f"{LABEL}.plist"
    return Service(
        path,
        plistlib.dumps(job),
        (("launchctl", "load", "-w", str(path)),),
        (("launchctl", "unload", "-w", str(path)),),
    )


def _task(home: Path, command: Sequence[str]) -> Service:
    program, *arguments = command
    words = " ".join(f'"{word}"' if " " in word else word for word in arguments)
    text = f"""<?xml version="1.0" encoding="UTF-16"?>
<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">
  <Triggers><LogonTrigger><Enabled>true</Enabled></LogonTrigger></Triggers>
  <Settings>
    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>
    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>
    <ExecutionTimeLimit>PT0S</ExecutionTimeLimit>
    <Hidden>true</Hidden>
  </Settings>
  <Actions><Exec><Command>{escape(program)}</Command><Arguments>{escape(words)}</Arguments></Exec></Actions>
</Task>
"""
    path = home / "AppData" / "Local" / NAME / "helper-task.xml"
    return Service(
        path,
        text.encode("utf-16"),
        (("schtasks", "/Create", "/F", "/TN", NAME, "/XML", str(path)), ("schtasks", "/Run", "/TN", NAME)),
        (("schtasks", "/Delete", "/F", "/TN", NAME),),
    )
