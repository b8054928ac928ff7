"""The checks, in a table: each reads the facts and returns the state, a verdict, and a hint if something is wrong."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime, timedelta
from functools import partial
from statistics import quantiles
from typing import Any, Literal, NamedTuple

from msgspec import Struct

from vademecum import __version__
from vademecum.adapters.hosts.found import Seen, as_numbers
from vademecum.doctor.facts import LATENCY_DAYS, Facts, HostFacts, OnDisk
from vademecum.maintenance.status import Status
from vademecum.plugin import findings_of_plugins, tried
from vademecum.plugin import plugins as installed_plugins
from vademecum.settings import observed

#: A conversation without new turns for this long should have been captured.
QUIET = timedelta(hours=1)
#: A host that wrote conversations this long after its last hook does not call the hooks.
SILENT = timedelta(hours=12)
#: A prompt waits at most this long for a hook (the deadline of the hook).
SLOWEST_MS = 500.0
#: Systems without a test run so far; .github/workflows/platforms.yml tests them when started by hand.
UNTRIED = {"darwin": "macOS", "win32": "Windows"}
#: Free bytes below which a disk counts as full: parts of an index are rewritten as a whole.
LEAST_ROOM = 50_000_000
_NAMED = 3
#: Most kinds of lines named in a message.
_KINDS_NAMED = 8


State = Literal["ok", "warn", "fail", "skip"]


class Finding(Struct, frozen=True):
    """Result of one check of `vade doctor`.

    Attributes:
        id: stable, for programs.
        status: "skip" if the check does not apply to this machine or could not run.
        details: the state.
        hint: what to do; "" for nothing.
    """

    id: str
    status: State
    details: str
    hint: str = ""


class Verdict(NamedTuple):
    """What a check found: a :class:`Finding` without its id."""

    status: State
    details: str
    hint: str = ""


ok, warn, fail, skip = partial(Verdict, "ok"), partial(Verdict, "warn"), partial(Verdict, "fail"), partial(Verdict, "skip")
NOT_OPENED = "The memory could not be opened."


def of_memory(check: Callable[[Facts, Status], Verdict]) -> Callable[[Facts], Verdict]:
    """Return a check that is skipped if the memory could not be opened."""
    return lambda facts: check(facts, facts.status) if facts.status else skip(NOT_OPENED)


def python(facts: Facts) -> Verdict:
    """Check the Python version, and whether the tests ever ran on this system."""
    if name := UNTRIED.get(facts.system):
        details = f"Python {facts.python} on {name}: untested on this system."
        return warn(details, "Try it before you rely on it; docs/platforms.md says what is known.")
    return ok(f"Python {facts.python}")


def plugins(_facts: Facts) -> Verdict:
    """Check whether every installed plugin loads, with all of its parts."""
    names = [plugin.name for plugin in installed_plugins()]
    if failed := [f"{failure.plugin}: {failure.reason}" for failure in tried()]:
        return warn("; ".join(failed), "Update or uninstall it; everything else works without it.")
    return ok(", ".join(names)) if names else skip("No plugin is installed.")


def sqlite(facts: Facts) -> Verdict:
    """Check the version of SQLite, and that full-text search is available."""
    extensions = "can" if facts.sqlite["extensions"] else "cannot"
    details = (
        f"SQLite {facts.sqlite['version']}, FTS5 {'there' if facts.sqlite['fts5'] else 'missing'}, {extensions} load extensions"
    )
    if not facts.sqlite["fts5"]:
        return fail(details, "Install apsw from PyPI; a build without FTS5 cannot search.")
    return ok(details)


def switched_on(facts: Facts) -> Verdict:
    """Check whether memory is switched off, and by which switch."""
    text = "; ".join(_degraded(facts, "memory"))
    if facts.settings.enabled:
        return ok(f"Memory is switched on; {text}" if text else "Memory is switched on.")
    hint = "Switch it on: vade resume, which also names a setting or an environment variable that keeps it off."
    return warn(f"Nothing is shown or captured: {text or 'memory is switched off'}", hint)


def settings(facts: Facts) -> Verdict:
    """Check that each setting has a valid value."""
    if facts.wrong_settings:
        hint = "Until that is corrected, the default or the stricter value is used. See: vade settings"
        return fail(" ".join(facts.wrong_settings), hint)
    return ok("All values are valid.")


def _degraded(facts: Facts, part: str) -> list[str]:
    """Return what `vade status` reports as degraded for one part, without the part's name."""
    degraded = facts.status.degraded if facts.status else ()
    return [text.removeprefix(f"{part}: ") for text in degraded if text.startswith(f"{part}: ")]


def vault(facts: Facts) -> Verdict:
    """Check that the memory folder exists and can be opened and written."""
    if why := facts.errors.get("memory") or facts.errors.get("status"):
        is_new = not facts.settings.home and not facts.settings.wrong
        return fail(why, "Create a memory with: vade init FOLDER" if is_new else "")
    if facts.unwritable:
        text = f"{facts.unwritable[0]} cannot be written: nothing new is saved, and nothing can be changed."
        return fail(text, "Give this user the right to write there, or mount it writable.")
    count = sum(facts.status.memories.values()) if facts.status else 0
    return ok(f"{facts.settings.home}, {count} memories")


def private(facts: Facts) -> Verdict:
    """Check that other users of this machine cannot read the conversations in the data folder."""
    folder = facts.settings.data_dir
    if facts.open_to_others:
        return warn(f"Other people who use this machine may read {folder}", f"chmod 700 {folder}")
    return ok(folder)


def secrets(facts: Facts) -> Verdict:
    """Check that other users of this machine cannot read secrets in the configuration."""
    if not facts.open_secrets:
        return ok("No secret in the configuration can be read by others.")
    names = ", ".join(name for name, _ in facts.open_secrets)
    file = facts.open_secrets[0][1]
    return warn(f"Other people who use this machine may read {names} in {file}", f"chmod 600 {file}")


def device(facts: Facts) -> Verdict:
    """Check that the state of this device can be saved and the disks have free space."""
    narrow = [f"{folder} has room for {room / 1e6:.1f} MB more." for folder, room in facts.room.items() if room < LEAST_ROOM]
    if degraded := [*_degraded(facts, "device"), *narrow]:
        return warn(" ".join(degraded), "Free some space: nothing new is saved on a full disk." if narrow else "")
    return ok("The state of this device is saved; the disk has free space.")


def conflicts(facts: Facts) -> Verdict:
    """Report files that cannot be read, and duplicates left by sync tools."""
    if facts.problems is None:
        return skip(facts.errors.get("problems", NOT_OPENED))
    if not facts.problems:
        return ok("All memories are readable, without duplicates.")
    text = "; ".join(f"{problem.path}: {problem.message}" for problem in facts.problems[:_NAMED])
    return warn(f"{len(facts.problems)} problems: {text}", "Open the files named, or: vade history")


def devices(facts: Facts) -> Verdict:
    """Check that the journal of each device that wrote notes here has arrived."""
    if facts.devices is None:
        return skip(facts.errors.get("devices", NOT_OPENED))
    others = [f"{heard.device} ({_when(heard.last)})" for heard in facts.devices.heard if not heard.here]
    text = f"other devices, and when they wrote last: {', '.join(others)}" if others else "No other device writes here."
    if facts.devices.unheard:
        missing = f"Notes that came from a device whose journal never arrived: {len(facts.devices.unheard)}; {text}"
        return warn(missing, "Let your sync tool copy the folder _journal too: docs/syncing.md")
    return ok(text)


def projects(facts: Facts) -> Verdict:
    """Report projects that may be one project under two names; only the person can decide that."""
    if facts.projects is None:
        return skip(facts.errors.get("projects", NOT_OPENED))
    if not facts.projects:
        return ok("No project seems to be known under two names.")
    text = "; ".join(f"{alike.project} and {alike.other} {alike.why}" for alike in facts.projects[:_NAMED])
    first = facts.projects[0]
    return warn(text, f"If they are one: vade project rename {first.other} {first.project} --join")


@of_memory
def index(facts: Facts, status: Status) -> Verdict:
    """Check that the index is intact."""
    if damage := _degraded(facts, "index"):
        return fail(damage[0], "Build it again: vade rebuild")
    return ok(f"{status.passages} passages, {status.index_bytes / 1e6:.1f} MB")


def drift(facts: Facts) -> Verdict:
    """Check that the index is up to date with the files."""
    if facts.drift is None:
        return fail(facts.errors["drift"]) if "drift" in facts.errors else skip(NOT_OPENED)
    behind = facts.drift
    if not (behind.added or behind.changed or behind.gone):
        return ok("The index is as new as the files.")
    details = f"{behind.added} files are new, {behind.changed} changed, {behind.gone} removed since the index was updated."
    return warn(details, "Update it: vade sync")


@of_memory
def meaning(facts: Facts, status: Status) -> Verdict:
    """Check that search by embeddings is available."""
    if missing := _degraded(facts, "meaning"):
        return warn("; ".join(missing), "Until then recall compares words only.")
    return ok(f"{status.embedder}, {status.waiting} passages wait for their vectors")


@of_memory
def archive(facts: Facts, status: Status) -> Verdict:
    """Check that transcripts are archived before their hosts delete them."""
    if not facts.settings.archive:
        return warn("Transcripts are not archived.", "Archive them: vade settings set archive true")
    if text := _degraded(facts, "archive"):
        return warn(text[0], "See what is in it: vade sessions list --archive")
    size = status.archive
    held = f"{size.transcripts} transcripts, {size.disk_bytes / 1e6:.1f} MB" if size else "nothing yet"
    return ok(f"{held}, {status.unarchived} not archived in their latest version")


def cut(facts: Facts) -> Verdict:
    """Check whether hosts removed turns from archived conversations."""
    if facts.status is None or not facts.settings.archive:
        return skip("The memory could not be opened, or transcripts are not archived.")
    if not facts.status.cut:
        return ok("No host took turns out of a conversation that is archived.")
    more = f" And {len(facts.status.cut) - _NAMED} more." if len(facts.status.cut) > _NAMED else ""
    text = " ".join(facts.status.cut[:_NAMED]) + more
    return warn(text, "Nothing is lost. See the versions, and restore one, with: vade sessions list --archive")


@of_memory
def transcripts(facts: Facts, status: Status) -> Verdict:
    """Check that all lines of the transcripts were understood; a newer host may write kinds of lines unknown to this version."""
    if not facts.strange:
        return ok("All lines that were read are of known kinds.")
    most = sorted(facts.strange.items(), key=lambda one: (-one[1], one[0]))
    versions = {host_facts.host.name: f" {host_facts.version}" for host_facts in facts.hosts if host_facts.version}
    text = ", ".join(
        f"{host}{versions.get(host, '')} {kind or 'unreadable'} ({count})" for (host, kind), count in most[:_KINDS_NAMED]
    )
    more = f" and {len(most) - _KINDS_NAMED} kinds more" if len(most) > _KINDS_NAMED else ""
    details = f"{sum(facts.strange.values())} lines were skipped: {text}{more}"
    return warn(details, "Everything else was read. A newer version may know them; then: vade rebuild")


@of_memory
def tended(facts: Facts, status: Status) -> Verdict:
    """Check that ended sessions were read, archived and handed over (X-17)."""
    if degraded := _degraded(facts, "sessions"):
        return warn("; ".join(degraded), "Try again: vade process --due; which ones: vade sessions list")
    return ok(f"{status.sessions} sessions are known; all that ended are processed.")


@of_memory
def inbox(facts: Facts, status: Status) -> Verdict:
    """Check the number of proposals that wait for the person."""
    if status.inbox_alarm:
        return warn(
            status.inbox_alarm,
            "Decide with one key each: vade review. Reject all: vade review-all reject",
        )
    return ok(f"Proposals that wait for you: {status.inbox}")


def language_model(facts: Facts) -> Verdict:
    """Check that the chosen language model works through its queue."""
    now = facts.status.model if facts.status else None
    if now is None:
        return skip(NOT_OPENED)
    if now.name == "none":
        return skip("No language model is chosen; patterns alone read conversations.")
    details = f"{now.name}, {now.waiting} conversations wait, today {now.input_tokens} tokens in, {now.output_tokens} out"
    if now.stopped:
        return fail(f"It is no longer asked: {now.stopped}", "Correct that, then: vade reader queue --retry")
    if now.paused:
        return warn(now.paused, "Reading continues tomorrow; recall is not affected. See: vade reader show --usage")
    if now.parked or now.failing:
        return warn(f"{details}; {now.failing} failing, {now.parked} parked", "See: vade reader queue")
    return ok(details)


def helper(facts: Facts) -> Verdict:
    """Check the helper process."""
    if facts.helper is None:
        return ok("No helper is running; the first hook starts it.")
    return _running(facts, facts.helper)


def _running(facts: Facts, known: Mapping[str, Any]) -> Verdict:
    """Return the finding for a helper that answered."""
    details = f"process {known.get('pid')}, hooks answered: {known.get('answered')}, {known.get('memory_mb')} MB"
    if known.get("port"):
        details += f", HTTP on port {known['port']}"
    if wrong := known.get("http_error"):
        hint = "Choose another port (setting `port`), 0 for none, then: vade stop"
        return warn(f"{details}; HTTP is not served: {wrong}", hint)
    if failed := known.get("work_error"):
        hint = "Try by hand: vade process. Its log is log/helper.log in the data folder."
        return warn(f"{details}; its background work failed: {failed}", hint)
    if known.get("version") != __version__:
        details += f", version {known.get('version')}; this is {__version__}"
        return warn(details, "Stop it, and the next hook starts the new version: vade stop")
    mine = observed(facts.settings)
    if other := [f"{name} = {value}" for name, value in known.get("settings", {}).items() if mine.get(name) != value]:
        details += f"; it runs with other settings than this command: {', '.join(other)}"
        return warn(details, "Set them in the configuration file, which all read, then: vade stop")
    return ok(details)


def client(facts: Facts) -> Verdict:
    """Check that the hook client file, which hosts run, is in place."""
    registered = any(host.is_registered for host in facts.hosts)
    wrong = [path for path, same in facts.client.items() if not same]
    if not wrong:
        return ok("In place: " + ", ".join(facts.client))
    if not registered:
        return skip("No host calls it yet.")
    details = "Missing or of another version: " + ", ".join(wrong)
    return fail(details, "Install a host again: vade install HOST")


def command_of_hooks(facts: Facts) -> Verdict:
    """Check that the hook client runs."""
    return _command(facts, "hook", "Write it again: vade install HOST")


def command_of_server(facts: Facts) -> Verdict:
    """Check that the MCP server starts and answers."""
    return _command(facts, "mcp", "Try by hand: vade mcp --no-helper </dev/null")


def _command(facts: Facts, name: str, hint: str) -> Verdict:
    fault = facts.commands.get(name)
    if fault is None:
        return skip("No host starts it.")
    if fault:
        return fail(f"The command that hosts start does not run: {fault}", hint)
    return ok("Started as hosts start it; it answered and ended.")


#: Kind of installation -> its wording in a sentence.
HOW_INSTALLED = {"pipx": "with pipx", "uv tool": "with uv tool", "pip": "with pip", "checkout": "from a checkout"}


def program(facts: Facts) -> Verdict:
    """Report how this program was installed, and how to upgrade it."""
    found = facts.installation
    return ok(f"vade {__version__}, installed {HOW_INSTALLED[found.way]}; to upgrade: {found.upgrading()}")


def latency(facts: Facts) -> Verdict:
    """Check how long prompts waited for hooks."""
    if not facts.prompts_ms:
        return skip(f"No prompt in {LATENCY_DAYS} days.")
    worst = quantiles([*facts.prompts_ms, facts.prompts_ms[-1]], n=20, method="inclusive")[-1]
    prompts = f"{len(facts.prompts_ms)} {'prompt' if len(facts.prompts_ms) == 1 else 'prompts'}"
    details = f"last {facts.prompts_ms[-1]:.0f} ms, 95 % within {worst:.0f} ms ({prompts})"
    if worst > SLOWEST_MS:
        return warn(details, "See what takes long: vade why")
    return ok(details)


def faults(facts: Facts) -> Verdict:
    """Check for errors in hooks, which hosts never show (X-22)."""
    if not facts.calls:
        return skip(f"No hook was called in {LATENCY_DAYS} days.")
    if not facts.faults:
        return ok(f"None in {facts.calls} calls.")
    last = facts.faults[-1]
    details = f"{len(facts.faults)} of {facts.calls} calls; last: {last.get('host')} {last.get('event')}: {last['error']}"
    judge = fail if len(facts.faults) * 2 > facts.calls else warn
    return judge(details, "See today's file in the folder log of the data folder.")


def singing(facts: Facts) -> Verdict:
    """Check the result of the canary test."""
    if facts.song is None:
        return fail(facts.errors.get("canary", "The test memory was not recalled."), "Try: vade doctor --canary")
    if facts.song.error:
        return fail(facts.song.error, "Try again with: vade doctor --canary")
    return ok(f"Saved and recalled in {facts.song.ms:.0f} ms, {facts.song.at[:16].replace('T', ' ')} UTC")


def registration(facts: Facts, host: HostFacts) -> Verdict:
    """Check that a host is registered, by entries in its files or by a plugin, and that it runs hooks."""
    title = host.host.title
    broken = [file.path for file in host.files if file.state == "unreadable"]
    if broken:
        hint = "Correct the file; the host cannot read it either."
        judge = fail if host.is_registered else warn
        return judge("Cannot be read: " + ", ".join(broken), hint)
    if not host.is_registered:
        if host.version or host.on_disk.seen:
            return warn(f"{title} is installed, but Vademecum is not connected to it.", f"vade install {host.host.name}")
        return skip(f"{title} is not on this machine.")
    if host.hooks_off:
        return fail(f"{title} runs no hooks at all: {host.hooks_off}", "Remove that setting.")
    older = [file.path for file in host.files if file.state == "older"]
    if older:
        return warn("From another version: " + ", ".join(older), f"vade install {host.host.name}")
    return _by_plugin(host) or ok(", ".join(_whole(host)))


def _by_plugin(host: HostFacts) -> Verdict | None:
    """Return the finding if our plugin is installed in the host; None if it is not."""
    plugin = host.plugin
    if plugin is None:
        return None
    if there := _whole(host):
        details = (
            f"Twice: by the plugin {plugin.name} and in {', '.join(there)}. Prompts are answered once, tools listed twice."
        )
        return warn(details, f"Keep one: vade uninstall {host.host.name}, or claude plugin uninstall {plugin.name}")
    if not plugin.is_current:
        details = f"By the plugin {plugin.name}, which is of version {plugin.version}; this is {__version__}"
        return warn(details, f"claude plugin update {plugin.name}")
    return ok(f"By the plugin {plugin.name}")


def _whole(host: HostFacts) -> list[str]:
    return [file.path for file in host.files if file.state == "whole"]


def version(facts: Facts, host: HostFacts) -> Verdict:
    """Check whether the version of the host is one that was tested."""
    checked = host.host.checked
    if not host.version:
        return skip(f"`{host.host.program} --version` prints no version.")
    details = f"{host.version}; compared with {checked.oldest} to {checked.newest} ({checked.how})"
    if as_numbers(host.version) < as_numbers(checked.oldest):
        return warn(details, f"Older than the versions whose hooks were tested; update {host.host.title}.")
    return ok(details)


def trusted(facts: Facts, host: HostFacts) -> Verdict:
    """Check that Codex trusts our hooks."""
    if not host.trusted:
        return skip("No hooks that need a review.")
    states = dict.fromkeys(state for _, state in host.trusted if state != "trusted")
    waiting = [f"{', '.join(event for event, other in host.trusted if other == state)} ({state})" for state in states]
    if waiting:
        hint = "Start codex, open /hooks and trust those of Vademecum."
        return fail("Codex does not run these hooks of Vademecum yet: " + "; ".join(waiting), hint)
    return ok(f"All {len(host.trusted)} hooks are trusted.")


def sessions(facts: Facts, host: HostFacts) -> Verdict:
    """Check that the conversations of a host were captured."""
    return written(facts, host.on_disk)


def written(facts: Facts, disk: OnDisk) -> Verdict:
    """Compare conversations on disk with captured ones, and give reasons for the others (X-17)."""
    if not disk.seen and not disk.unread:
        return skip("No conversations on disk.")
    how = [(_how_captured(facts, disk, seen), seen) for seen in disk.seen]
    counts = Counter(state for state, _ in how)
    captured = counts["captured"]
    details = f"{captured} of {len(disk.seen)} captured" + (
        f"; last captured turn {_when(disk.last_captured)}" if disk.last_captured else ""
    )
    others = [f"{count} {state}" for state, count in counts.items() if state != "captured"]
    others += [f"{len(disk.unread)} in a store that is not read"] if disk.unread else []
    details += "".join(f"; {entry}" for entry in [", ".join(others)] if entry)
    serious = next((seen for state, seen in how if state in _MISSED), None)
    if serious is not None:
        judge = fail if disk.is_registered else warn
        return judge(f"{details}, such as {serious.path}", "Capture them now: vade capture")
    problem = next((seen for state, seen in how if state == _NOT_UNDERSTOOD), None)
    if problem is not None or disk.unread:
        version = f" {disk.version}" if disk.version else ""
        what = f"{problem.path}: {problem.problem}" if problem is not None else f"such as {disk.unread[0]}"
        hint = "A newer version of Vademecum may understand it; what was captured stays."
        return warn(f"{details}; {disk.title}{version}: {what}", hint)
    if captured:
        return ok(details)
    silent = next((seen for state, seen in how if state == _SILENT), None)
    if silent is not None:
        return warn(f"{details}, such as {silent.path}", "No person's turns were found in any of them.")
    return skip(details)


_NEVER, _PARTLY, _SILENT, _NOT_UNDERSTOOD = "never", "in part", "without a turn", "not understood"
_MISSED = (_NEVER, _PARTLY)


def _how_captured(facts: Facts, disk: OnDisk, seen: Seen) -> str:
    """Return the state of a conversation on disk, worded to follow a number."""
    if seen.problem:
        return _NOT_UNDERSTOOD
    read = disk.read.get(seen.path)
    if not seen.size:
        return "empty"
    if read is not None and read.stopped:
        return "in a stopped project"
    quiet = facts.now.timestamp() - seen.written_s > QUIET.total_seconds()
    if read is None or read.offset < seen.size:
        missed = _NEVER if read is None else _PARTLY
        return missed if quiet else "captured" if read is not None else "being written"
    return _SILENT if read.gave_nothing else "captured"


def delivery(facts: Facts, host: HostFacts) -> Verdict:
    """Check that the host calls the hooks; if it does not, memories are lost unnoticed (X-17)."""
    if not host.is_registered:
        return skip("Not registered.")
    newest = max((seen.written_s for seen in host.on_disk.seen), default=0.0)
    last = host.last_call.timestamp() if host.last_call else 0.0
    details = f"last hook {_when(host.last_call)}, last delivery {_when(host.last_delivery)}"
    if newest - last > SILENT.total_seconds() and newest > _installed_s(host):
        details += f"; a conversation was written at {_when(datetime.fromtimestamp(newest, facts.now.tzinfo))}"
        hint = f"The host does not call Vademecum. Try: vade install {host.host.name}, then restart the host."
        return fail(details, hint)
    if host.last_call is None:
        return ok(f"No hook was called yet; {host.host.title} calls them from its next start on.")
    return ok(details)


def _installed_s(host: HostFacts) -> float:
    """Return when our entries were installed (POSIX seconds); earlier conversations are no evidence."""
    written = [file.written_s for file in host.files if file.role in ("hooks", "plugin") and file.state in ("whole", "older")]
    return max([*written, *([host.plugin.written_s] if host.plugin else [])], default=0.0)


def _when(moment: datetime | None) -> str:
    return f"{moment:%Y-%m-%d %H:%M}" if moment else "never"


#: Stable id -> check.
CHECKS: Mapping[str, Callable[[Facts], Verdict]] = {
    "program": program, "python": python, "sqlite": sqlite, "settings": settings, "enabled": switched_on, "vault": vault,
    "data": private, "secrets": secrets, "device": device, "vault.files": conflicts, "devices": devices, "projects": projects,
    "index": index, "index.drift": drift, "embedder": meaning, "archive": archive, "archive.cut": cut,
    "transcripts": transcripts, "inbox": inbox, "sessions": tended, "model": language_model, "helper": helper,
    "hook.client": client, "hook.command": command_of_hooks, "mcp.command": command_of_server, "hook.latency": latency,
    "hook.errors": faults, "canary": singing, "plugins": plugins,
}  # fmt: skip
#: Part of a host -> check.
HOST_CHECKS: Mapping[str, Callable[[Facts, HostFacts], Verdict]] = {
    "registration": registration, "version": version, "trust": trusted, "sessions": sessions, "delivery": delivery,
}  # fmt: skip


def findings(facts: Facts) -> Iterator[Finding]:
    """Yield the findings of every check; those of plugins and hosts come last."""
    of_plugins = findings_of_plugins(facts)  # first, so that the check of plugins reports a plugin whose check raises
    yield from (Finding(name, *check(facts)) for name, check in CHECKS.items())
    yield from of_plugins
    if why := facts.errors.get("hosts"):
        yield Finding("hosts", "fail", why)
    for host in facts.hosts:
        for part, check in HOST_CHECKS.items():
            if part != "trust" or host.host.name == "codex":
                yield Finding(f"host.{host.host.name}.{part}", *check(facts, host))
    yield from (Finding(f"host.{disk.name}.sessions", *written(facts, disk)) for disk in facts.on_disk)
