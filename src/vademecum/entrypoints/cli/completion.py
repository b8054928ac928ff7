"""`vade completion`: shell completion of commands, options, kinds and memories."""

import click
from click.shell_completion import get_completion_class

from vademecum.entrypoints.cli.output import JSON, printing

SHELLS = ("bash", "zsh", "fish")
#: Environment variable by which click starts completion; its name follows from that of the program.
_VARIABLE = "_VADE_COMPLETE"


@click.command("completion")
@click.argument("shell", type=click.Choice(SHELLS))
@JSON
def completion(shell: str, as_json: bool) -> None:
    """Print the script by which SHELL completes commands, kinds and memories with the tab key.

    For bash and zsh add to its start file: eval "$(vade completion bash)". For fish, once: vade completion fish >
    ~/.config/fish/completions/vade.fish
    """
    made = get_completion_class(shell)
    assert made is not None  # click knows all shells of the table
    script = made(click.Command("vade"), {}, "vade", _VARIABLE).source()
    with printing(as_json) as tell:
        tell(script, shell=shell, script=script)
