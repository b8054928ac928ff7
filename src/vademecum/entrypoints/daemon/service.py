"""The helper as a service of the person's session: what systemd, launchd or Windows is told, and where that lies."""

import html
import subprocess
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path, PureWindowsPath

from msgspec import Struct

#: That of `xml.sax` would load HTTP and mail, which every command then pays for.
escape = partial(html.escape, quote=False)

NAME = "vademecum"
LABEL = "org.vademecum.helper"


#: Variables that decide where memory lies. No secret is among them; a service is started without them.
PLACES = (
    "VADEMECUM_CONFIG", "VADEMECUM_HOME", "VADEMECUM_DATA_DIR", "VADEMECUM_CACHE_DIR",
    "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME",
)  # fmt: skip


def service_folders(environment: Mapping[str, str]) -> tuple[Path, Path]:
    """Return the person's home folder, and where systemd looks for their units."""
    home = Path(environment.get("HOME") or environment.get("USERPROFILE") or ".")
    return home, Path(environment.get("XDG_CONFIG_HOME") or home / ".config")


def account(environment: Mapping[str, str]) -> str:
    """Return the person's account as Windows names it, DOMAIN\\NAME; "" where the environment does not tell."""
    return "\\".join(part for name in ("USERDOMAIN", "USERNAME") if (part := environment.get(name, "")))


class Service(Struct, frozen=True):
    """One way to be started with the session.

    Attributes:
        path: the file that describes it. start, stop: commands that make it known and running, and take it back.
    """

    path: Path
    text: bytes
    start: tuple[tuple[str, ...], ...]
    stop: tuple[tuple[str, ...], ...]


class Started(Struct, frozen=True):
    """What a service starts.

    Attributes:
        command: ends with 0 when another helper is running, so that nothing starts it again and again.
        log: file for what goes wrong while starting.
        places: variables that say where memory lies; a service does not inherit those of a shell.
    """

    command: Sequence[str]
    log: Path
    places: Mapping[str, str]


def service_for(system: str, home: Path, config_home: Path, started: Started, *, user: str) -> Service:
    """Return the service of this platform.

    Args:
        system: "Linux", "Darwin" or "Windows", as Python names them; others are taken for Linux.
        config_home: where systemd looks for the person's units, on Linux.
        user: the person's account, on Windows.
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
    """Return a word of a unit file: systemd reads backslashes, quotes and, as specifiers, percent signs."""
    return '"' + word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%") + '"'


def _launchd(home: Path, command: Sequence[str], log: Path, places: Mapping[str, str]) -> Service:
    import plistlib  # it loads XML, which no other command needs

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


#: Runs what it is given with a hidden console (CREATE_NO_WINDOW) and ends as that does.
_HIDDEN = "import subprocess, sys; sys.exit(subprocess.call(sys.argv[1:], creationflags=0x08000000))"


def _task(home: Path, command: Sequence[str], user: str) -> Service:
    """Make the task as the schema of Windows' task scheduler has it ([MS-TSCH] 2.5). A trigger without a user is that of every
    user, which only an
    administrator may register; by its default a task ends when the machine goes on battery.

    The task's own program is one without a console, which gives the helper one that nobody sees: see `_start_hidden` of the hook
    client. It ends as the helper ends.
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
