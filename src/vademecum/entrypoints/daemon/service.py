"""The helper as a user service of systemd, launchd or the Windows task scheduler: its description file and commands."""

import html
import subprocess
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path, PureWindowsPath

from msgspec import Struct

#: `xml.sax.saxutils.escape` would import HTTP and mail, which every command would pay for.
escape = partial(html.escape, quote=False)

NAME = "vademecum"
LABEL = "org.vademecum.helper"


#: Environment variables that locate the memory, passed to the service. None is secret.
PLACES = (
    "VADEMECUM_CONFIG", "VADEMECUM_HOME", "VADEMECUM_DATA_DIR", "VADEMECUM_CACHE_DIR",
    "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME",
)  # fmt: skip


def service_folders(environment: Mapping[str, str]) -> tuple[Path, Path]:
    """Return the home folder of the person, and the folder of their systemd units."""
    home = Path(environment.get("HOME") or environment.get("USERPROFILE") or ".")
    return home, Path(environment.get("XDG_CONFIG_HOME") or home / ".config")


def account(environment: Mapping[str, str]) -> str:
    """Return the person's account as Windows names it, DOMAIN\\NAME; "" where the environment does not tell."""
    return "\\".join(part for name in ("USERDOMAIN", "USERNAME") if (part := environment.get(name, "")))


class Service(Struct, frozen=True):
    """A service description.

    Attributes:
        path: its file. start, stop: commands that register and start it, and that stop and remove it.
    """

    path: Path
    text: bytes
    start: tuple[tuple[str, ...], ...]
    stop: tuple[tuple[str, ...], ...]


class Started(Struct, frozen=True):
    """What a service starts.

    Attributes:
        command: exits with 0 if another helper runs, so that the service manager does not restart it in a loop.
        log: file for errors at start.
        places: environment variables that locate the memory; a service does not inherit those of a shell.
    """

    command: Sequence[str]
    log: Path
    places: Mapping[str, str]


def service_for(system: str, home: Path, config_home: Path, started: Started, *, user: str) -> Service:
    """Return the service of this platform.

    Args:
        system: "Linux", "Darwin" or "Windows" (`platform.system()`); any other counts as Linux.
        config_home: on Linux, the folder of the user's systemd units.
        user: on Windows, the account.
    """
    if system == "Darwin":
        return _launchd(home, started.command, started.log, started.places)
    if system == "Windows":
        return _task(home, started.command, user)
    return _systemd(config_home, started.command, started.places)


def _systemd(config_home: Path, command: Sequence[str], places: Mapping[str, str]) -> Service:
    words = " ".join(_quoted(word) for word in command)
    environment = "".join(f"Environment={_quoted(f'{name}={value}')}\n" for name, value in places.items())
    text = f"""[Unit]
Description=Vademecum, memory for AI tools

[Service]
ExecStart={words}
{environment}Restart=on-failure
RestartSec=5
Nice=5

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


def _quoted(word: str) -> str:
    """Quote a word for a unit file: systemd interprets backslashes, quotes and percent signs."""
    return '"' + word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%") + '"'


def _launchd(home: Path, command: Sequence[str], log: Path, places: Mapping[str, str]) -> Service:
    import plistlib  # imports XML, which no other command needs

    job = {
        "Label": LABEL,
        "ProgramArguments": list(command),
        **({"EnvironmentVariables": dict(places)} if places else {}),
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


#: Runs a command with a hidden console (CREATE_NO_WINDOW) and exits with its code.
_HIDDEN = "import subprocess, sys; sys.exit(subprocess.call(sys.argv[1:], creationflags=0x08000000))"


def _task(home: Path, command: Sequence[str], user: str) -> Service:
    """Return the task for the Windows task scheduler ([MS-TSCH] 2.5).

    The trigger names the user, because only an administrator may register one for all users. By default a task would end when the
    machine goes on battery. The program of the task has no console and starts the helper with a hidden one: see `_start_hidden` of
    the hook client. It exits when the helper does.
    """
    python = PureWindowsPath(command[0])
    program = str(python.with_name(python.name.replace("python", "pythonw", 1)))
    words = subprocess.list2cmdline(["-I", "-S", "-c", _HIDDEN, *command])
    text = f"""<?xml version="1.0" encoding="UTF-16"?>
<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">
  <RegistrationInfo><Description>Vademecum, memory for AI tools</Description></RegistrationInfo>
  <Triggers><LogonTrigger><Enabled>true</Enabled><UserId>{escape(user)}</UserId></LogonTrigger></Triggers>
  <Principals>
    <Principal id="Author">
      <UserId>{escape(user)}</UserId><LogonType>InteractiveToken</LogonType><RunLevel>LeastPrivilege</RunLevel>
    </Principal>
  </Principals>
  <Settings>
    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>
    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>
    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>
    <ExecutionTimeLimit>PT0S</ExecutionTimeLimit>
    <Hidden>true</Hidden>
    <RestartOnFailure><Interval>PT1M</Interval><Count>3</Count></RestartOnFailure>
  </Settings>
  <Actions Context="Author"><Exec><Command>{escape(program)}</Command><Arguments>{escape(words)}</Arguments></Exec></Actions>
</Task>
"""
    path = home / "AppData" / "Local" / NAME / "helper-task.xml"
    return Service(
        path,
        text.encode("utf-16"),
        (("schtasks", "/Create", "/F", "/TN", NAME, "/XML", str(path)), ("schtasks", "/Run", "/TN", NAME)),
        (("schtasks", "/Delete", "/F", "/TN", NAME),),
    )
