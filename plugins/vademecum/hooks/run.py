"""Hook of the Claude Code plugin: hands over to the hook client that `vade init` put among Vademecum's data.

Without one (the command `vade` is not set up yet) it prints nothing. It ends with 0 whatever happens, because Claude Code reads 2
as "block the prompt".
"""

import os
import sys


def data_folder() -> str:
    """Where Vademecum keeps its data, as the command `vade` decides it."""
    given = os.environ.get("VADEMECUM_DATA_DIR")
    if given:
        return given
    xdg = os.environ.get("XDG_DATA_HOME")
    home = os.path.expanduser("~")
    if xdg:
        place = xdg
    elif sys.platform == "win32":
        place = os.environ.get("LOCALAPPDATA") or home + "/AppData/Local"
    elif sys.platform == "darwin":
        place = home + "/Library/Application Support"
    else:
        place = home + "/.local/share"
    return place + "/vademecum"


def interpreter(conf: str) -> str:
    """The Python that has the package, as the client's own file names it; this one when it does not."""
    with open(conf, encoding="utf-8") as file:
        for line in file:
            if line.startswith("python="):
                return line[7:].rstrip("\r\n")
    return sys.executable


def main() -> None:
    """Become the client."""
    client = data_folder() + "/hook/client.py"
    if not os.path.exists(client):
        return
    arguments = [interpreter(os.path.dirname(client) + "/hook.conf"), "-I", "-S", client, *sys.argv[1:]]
    if sys.platform == "win32":  # a process cannot become another there
        os.spawnv(os.P_WAIT, arguments[0], arguments)
    else:
        os.execv(arguments[0], arguments)


try:
    main()
except BaseException:  # whatever it is, the person's prompt goes on
    pass
os._exit(0)
