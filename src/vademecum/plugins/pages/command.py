"""`vade web`: opens the pages in a browser, with a ticket that lets it in."""

import webbrowser

import click

from vademecum.domain.errors import InvalidInput, Refused
from vademecum.plugin_api.command_line import JSON, LineCommand, printing
from vademecum.plugin_api.helper import call, current_config, current_settings, ensure
from vademecum.plugin_api.machine import system_clock
from vademecum.plugins.pages.browser_keys import browser_keys
from vademecum.plugins.pages.machine import PAGES
from vademecum.settings import no_memory


@click.command("web")
@click.option("--print-url", is_flag=True, help="Print the address instead, which lets one browser in within a minute.")
@click.option("--revoke", is_flag=True, help="Shut out every browser that was let in.")
@JSON
def web(print_url: bool, revoke: bool, as_json: bool) -> None:
    """Look at your memory in a browser: what was saved, what waits, what was shown to whom; correct it or forget it.

    The helper serves the pages to this machine only, and only to browsers that this command opened. From another machine, forward
    the port (ssh -L 8233:127.0.0.1:8233 HOST), run this there with --print-url, and open what it prints.
    """
    with printing(as_json) as tell:
        if revoke:
            count = _revoked()
            tell(f"Shut out: {count} {'browser' if count == 1 else 'browsers'}.", revoked=count)
            return
        url = _url()
        if print_url or as_json or not webbrowser.open(url):
            tell(url, url=url)
        else:
            tell("Opened in your browser. Not there? vade web --print-url")


def _revoked() -> int:
    return browser_keys(current_settings(forgiving=True), system_clock()).revoke()


def _url() -> str:
    """Return the address that admits one browser.

    Raises:
        InvalidInput: there is no memory, or no port is set.
        Refused: the helper does not start, or cannot use the port.
    """
    settings = current_settings()
    if not settings.home:
        raise no_memory(settings)
    if not settings.port:
        raise InvalidInput("The pages need a port, and none is set.", "Set it: port = 8233")
    answer = call(settings, "web") if ensure(settings, current_config()) else None
    if answer is None:
        raise Refused("The helper did not come up.", "See what is wrong with: vade doctor")
    if not answer.get("ticket"):
        why = answer.get("http_error") or "the helper that runs is of an earlier version"
        raise Refused(f"The pages are not served: {why}.", "End the helper with vade stop, then try again.")
    return f"http://127.0.0.1:{answer['port']}{PAGES}/enter?ticket={answer['ticket']}"


COMMANDS = (LineCommand(web),)
