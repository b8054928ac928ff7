"""Plugins: the value by which a distribution extends Vademecum, and the discovery of installed plugins.

A plugin is a `Plugin` named by an entry point of the group `vademecum.plugins`. Its functions are called when their result is
first needed, so that only its own small module is imported at start. docs/plugins.md shows a complete one.
"""

import importlib
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import Field, field
from functools import cache, wraps
from typing import TYPE_CHECKING, Any, Literal, ParamSpec, TypeVar

from msgspec import Struct

if TYPE_CHECKING:
    from datetime import date, datetime

    from vademecum.adapters.hosts.base import TableHost
    from vademecum.api import Vademecum
    from vademecum.context.context import Context
    from vademecum.doctor.checks import Finding
    from vademecum.doctor.facts import Facts
    from vademecum.domain.memory import By, Space
    from vademecum.domain.outline import Outline
    from vademecum.domain.session import Candidate, Session, Snapshot
    from vademecum.entrypoints.cli.groups import LineCommand
    from vademecum.entrypoints.http.beside import WebApp
    from vademecum.entrypoints.http.older import OlderRoute
    from vademecum.entrypoints.mcp.prompts import Prompt
    from vademecum.entrypoints.mcp.tools import Tool
    from vademecum.entrypoints.verbs.verb import Verb
    from vademecum.maintenance.jobs import Job
    from vademecum.ports.clock import Clock
    from vademecum.ports.embedder import Embedder
    from vademecum.ports.transcripts import Place, TranscriptFormat, TranscriptLibrary
    from vademecum.recall.ranker import Ranker
    from vademecum.settings import Settings
    from vademecum.views.view import View
    from vademecum.write.review import Decided

GROUP = "vademecum.plugins"

#: Package of the built-in plugins.
BUILT_IN = "vademecum.plugins."

T = TypeVar("T")
P = ParamSpec("P")


class Setting(Struct, frozen=True):
    """A setting of a plugin, set like any other: `vade settings set`, the configuration file, VADEMECUM_<NAME>.

    Attributes:
        name: unique among all settings; begin it with the plugin's name.
        default: value if nothing is set; its type (bool, int, float, str or a tuple of str) is the type of the setting.
        meaning: its effect, in one sentence.
        unit: of a number.
        choices: accepted words; empty: any.
        least, most: bounds of a number, both inclusive; `most` None: no upper bound.
    """

    name: str
    default: Any
    meaning: str
    unit: str = ""
    choices: tuple[str, ...] = ()
    least: float = 0
    most: float | None = None


class Demo(Struct, frozen=True):
    """A demo of a plugin, shown by `vade demo --NAME`. `run` receives a function that prints a line."""

    name: str
    meaning: str
    run: Callable[[Callable[[str], object]], object]


class EmbedderService(Struct, frozen=True):
    """A service or package with embedding models, for the setting `embedder`: `NAME:MODEL`, or `NAME` for its usual model.

    Attributes:
        name: lower case, without a colon.
        usual_model: used if the setting names no model.
        open: (model, setting `embedder_url`, function that returns `embedder_key`) -> embedder. Raises `EmbedderUnavailable` if
            its package is missing.
    """

    name: str
    usual_model: str
    open: "Callable[[str, str, Callable[[], str]], Embedder]"


class Observation(Struct, frozen=True):
    """A finished operation.

    Attributes:
        began: aware, UTC.
        seconds: duration.
        result: a `Recall` for "search", a `Saved` for "save", a `Delivery` for "deliver"; None if it raised.
        error: class name of the exception; "" for none.
    """

    operation: Literal["search", "save", "deliver"]
    began: "datetime"
    seconds: float
    result: Any
    error: str = ""


class Worked(Struct, frozen=True):
    """A conversation that was processed after its end.

    Attributes:
        outline: summary of its course.
        met: candidates for memories.
        handoff: id of its handoff; "" for none.
    """

    session: "Session"
    outline: "Outline"
    met: "Sequence[Candidate]"
    handoff: str


class Plugin(Struct, frozen=True, kw_only=True):
    """The parts that a plugin adds. Most are functions that return a sequence of rows.

    Attributes:
        name: lower case, unique among installed plugins.
        about: its purpose, in one sentence.
        settings: its settings.
        verbs: returns verbs; each becomes a command, an HTTP route and a verb of MCP's `memory_verb`.
        words: first words of its verbs, separated by spaces. A command that begins with another word does not import them; "": not
            known, so every command imports them.
        first_words: first word of two-word verbs -> its description.
        usual: first word -> default second word.
        menu: title of a group of `vade --help` -> names of commands in it, separated by spaces; `+name`: explained on the first
            screen.
        examples: of its commands, one per line, such as `standup: standup --project webapp`: the command, then the typed text.
        commands: returns commands that exist only on the command line and run in their own process.
        jobs: returns background jobs of the helper.
        formats: returns transcript formats; they take precedence over the built-in ones.
        libraries: returns kinds of files that contain many transcripts; they take precedence over the built-in ones.
        hosts: returns hosts (programs that run agents): their hooks, and the files that `vade install` writes for them.
        places: returns places where such programs store conversations.
        views: returns generated pages.
        embedders: returns services with embedding models.
        checks: returns checks of `vade doctor`: functions from facts to a finding.
        routes: returns HTTP routes for programs of an earlier design.
        apps: returns applications that the helper serves on its HTTP port, such as pages.
        prompts: returns MCP prompts, which a person starts from their host.
        tools: returns MCP tools besides those of the verbs.
        demos: returns demos, each an option of `vade demo`.
        spaces: given the settings, returns folders of memories to read besides the person's, such as mirrors. It is called
            whenever a memory is opened, also by hooks.
        rankers: returns rankers of recall, for the setting `profile`; each has the name of its profile.
        observers: returns functions that receive each :class:`Observation`. They must be fast, because somebody waits for them;
            without observers nothing is measured.
        compacts: cleans up data of the plugin at `vade compact`; returns name -> number of items removed.
        last_words: given the name of an agent, returns the end of its last chat, for its next session; None: unknown.
        instructions: lines for agents of hosts without hooks, about commands to use; AGENT is replaced by the agent's name.
        after_session: receives a processed conversation; returns the days whose notes it changed. An error of this program is
            reported with the session, which is processed again.
        after_review: receives the decisions about proposals just carried out, and returns them, perhaps with `page` and `note`
            added.
        after_sitting: the same at the end of a review at a terminal; returns lines to print.
    """

    name: str
    about: str
    settings: tuple[Setting, ...] = ()
    verbs: "Callable[[], Sequence[Verb]]" = tuple
    words: str = ""
    first_words: Mapping[str, str] = {}
    usual: Mapping[str, str] = {}
    menu: Mapping[str, str] = {}
    examples: str = ""
    commands: "Callable[[], Sequence[LineCommand]]" = tuple
    jobs: "Callable[[], Sequence[Job]]" = tuple
    formats: "Callable[[], Sequence[TranscriptFormat]]" = tuple
    libraries: "Callable[[], Sequence[TranscriptLibrary]]" = tuple
    hosts: "Callable[[], Sequence[TableHost]]" = tuple
    places: "Callable[[], Sequence[Place]]" = tuple
    views: "Callable[[], Sequence[View]]" = tuple
    embedders: "Callable[[], Sequence[EmbedderService]]" = tuple
    checks: "Callable[[], Sequence[Callable[[Facts], Finding]]]" = tuple
    routes: "Callable[[], Sequence[OlderRoute]]" = tuple
    apps: "Callable[[], Sequence[WebApp]]" = tuple
    prompts: "Callable[[], Sequence[Prompt]]" = tuple
    tools: "Callable[[], Sequence[Tool]]" = tuple
    demos: "Callable[[], Sequence[Demo]]" = tuple
    spaces: "Callable[[Settings], Iterable[Space]] | None" = None
    rankers: "Callable[[], Sequence[Ranker]]" = tuple
    observers: Callable[[], Sequence[Callable[[Observation], object]]] = tuple
    compacts: "Callable[[Context], Mapping[str, int]] | None" = None
    last_words: "Callable[[Context, str], Snapshot | None] | None" = None
    instructions: tuple[str, ...] = ()
    after_session: "Callable[[Context, Worked], Sequence[date]] | None" = None
    after_review: "Callable[[Vademecum, tuple[Decided, ...], By], tuple[Decided, ...]] | None" = None
    after_sitting: "Callable[[Vademecum, tuple[Decided, ...]], Sequence[str]] | None" = None


def late(module: str, name: str) -> Callable[..., Any]:
    """Return a function that calls `module.name`; the module is imported at the first call."""

    def called(*given: Any, **named: Any) -> Any:
        return getattr(importlib.import_module(module), name)(*given, **named)

    return called


def rows_in(module: str, name: str) -> Callable[[], Sequence[Any]]:
    """Return a function that imports a module and returns its attribute `name` as a tuple."""
    return lambda: tuple(getattr(importlib.import_module(module), name))


def on_context(use_case: Callable[..., T]) -> Callable[..., T]:
    """Turn a use case (a function of a context) into a function of an open memory, as `run` of a verb requires."""

    @wraps(use_case)
    def of_memory(memory: Any, *args: Any, **values: Any) -> T:
        return use_case(memory.context, *args, **values)

    return of_memory


class Failure(Struct, frozen=True):
    """Why a plugin, or a part of it, is left out. `plugin`: the name of its entry point."""

    plugin: str
    reason: str


#: Failures in this process so far, each once.
_failures: dict[Failure, None] = {}


def left_out(plugin: str, reason: str) -> None:
    """Record that a plugin or a part of it is left out; :func:`tried` returns the records."""
    _failures[Failure(plugin, reason)] = None


@cache
def plugins() -> tuple[Plugin, ...]:
    """Return the installed plugins sorted by name, without those that cannot be loaded (:func:`left_out`)."""
    loaded: dict[str, Plugin] = {}
    for name, target in sorted(entry_points(sys.path)):
        module, _, attribute = target.partition(":")
        try:
            plugin = getattr(importlib.import_module(module), attribute)
        except ModuleNotFoundError as error:
            if not (
                module.startswith(BUILT_IN) and f"{module}.".startswith(f"{error.name}.")
            ):  # otherwise its folder was removed
                left_out(name, str(error))
            continue
        except Exception as error:  # noqa: BLE001 -- a plugin's module may raise anything; doctor reports it
            left_out(name, f"{type(error).__name__}: {error}")
            continue
        if not isinstance(plugin, Plugin):
            left_out(name, f"{target} is no Plugin")
        elif plugin.name in loaded:
            left_out(name, f"another plugin is called {plugin.name} too")
        else:
            loaded[plugin.name] = plugin
    return tuple(loaded.values())


def entry_points(folders: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield (name, "module:attribute") of each entry point of `GROUP` in the distributions in folders of Python's path.

    `importlib.metadata` does the same, but its import alone takes some 40 ms, twenty times as long as this function.
    """
    seen: set[str] = set()
    for folder in folders:
        try:
            names = sorted(
                entry.name for entry in os.scandir(folder or ".") if entry.name.endswith((".dist-info", ".egg-info"))
            )
        except OSError:
            continue  # the folder does not exist, or is a zip archive
        for name in names:
            if (distribution := name.partition("-")[0].lower()) in seen:
                continue
            seen.add(distribution)
            try:
                with open(os.path.join(folder or ".", name, "entry_points.txt"), encoding="utf-8") as file:  # noqa: PTH118, PTH123
                    text = file.read()
            except (OSError, UnicodeDecodeError):
                continue
            if GROUP in text:
                yield from _of_group(text)


def _of_group(text: str) -> Iterator[tuple[str, str]]:
    inside = False
    for line in map(str.strip, text.splitlines()):
        if line.startswith("["):
            inside = line == f"[{GROUP}]"
        elif inside and "=" in line and not line.startswith(("#", ";")):
            name, _, target = line.partition("=")
            yield name.strip(), target.partition("[")[0].strip()


def added(part: str, of: Callable[[Plugin], bool] = lambda plugin: True) -> tuple[tuple[str, Any], ...]:
    """Return (plugin name, row) for all rows that installed plugins add to one part.

    Args:
        part: name of a field of `Plugin` that returns a sequence when called.
        of: whether a plugin is asked.
    """
    rows: list[tuple[str, Any]] = []
    for plugin in filter(of, plugins()):
        try:
            rows += [(plugin.name, row) for row in getattr(plugin, part)()]
        except Exception as error:  # noqa: BLE001 -- as above
            left_out(plugin.name, f"{part}: {type(error).__name__}: {error}")
    return tuple(rows)


def named(
    part: str, own: Iterable[T], key: Callable[[T], str], of: Callable[[Plugin], bool] = lambda plugin: True
) -> tuple[T, ...]:
    """Return the rows that installed plugins add to one part, without those whose name is taken.

    Args:
        part, of: as in :func:`added`.
        own: the built-in rows, whose names are taken.
        key: returns the name of a row.
    """
    taken, rows = {key(row) for row in own}, []
    for plugin, row in added(part, of):
        if key(row) in taken:
            left_out(plugin, f"{part}: {key(row)} is taken")
            continue
        taken.add(key(row))
        rows.append(row)
    return tuple(rows)


def compacted_by_plugins(context: "Context") -> Mapping[str, int]:
    """Clean up the data of all plugins; return name -> number of items removed."""
    counts: dict[str, int] = {}
    for plugin in plugins():
        if plugin.compacts is not None:
            with _noting(plugin, "compacts"):
                counts |= plugin.compacts(context)
    return counts


def last_words_of(context: "Context", agent: str) -> "Snapshot | None":
    """Return the end of an agent's last chat from the first plugin that knows it."""
    for plugin in plugins():
        if plugin.last_words is not None:
            with _noting(plugin, "last_words"):
                if words := plugin.last_words(context, agent):
                    return words
    return None


def after_session(context: "Context", worked: Worked, raised: "tuple[type[Exception], ...]") -> "tuple[date, ...]":
    """Pass a processed conversation to the plugins; return the days whose notes they changed.

    Args:
        raised: exceptions that propagate to the caller; others are recorded, and the next plugin is called.
    """
    days: list[date] = []
    for plugin in plugins():
        if plugin.after_session is not None:
            with _noting(plugin, "after_session", raised):
                days += plugin.after_session(context, worked)
    return tuple(days)


def after_review(memory: "Vademecum", decided: "tuple[Decided, ...]", by: "By") -> "tuple[Decided, ...]":
    """Pass decisions about proposals through the plugins and return the result. A plugin that raises is recorded and skipped."""
    for plugin in plugins():
        if plugin.after_review is not None:
            with _noting(plugin, "after_review"):
                decided = plugin.after_review(memory, decided, by)
    return decided


def after_sitting(memory: "Vademecum", decided: "tuple[Decided, ...]") -> Sequence[str]:
    """Return the lines of the plugins for the end of a review at a terminal."""
    lines: list[str] = []
    for plugin in plugins():
        if plugin.after_sitting is not None:
            with _noting(plugin, "after_sitting"):
                lines += plugin.after_sitting(memory, decided)
    return lines


@cache
def observers() -> "tuple[tuple[str, Callable[[Observation], object]], ...]":
    """Return (plugin name, function) of all observers."""
    return added("observers")


def observed(
    operation: Literal["search", "save", "deliver"], clock_of: "Callable[[Any], Clock]"
) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Decorate a function so that plugins observe it. An exception of an observer is recorded and has no effect.

    Args:
        clock_of: returns the clock, given the first argument of the function.
    """

    def around(function: Callable[P, T]) -> Callable[P, T]:
        @wraps(function)
        def called(*args: P.args, **given: P.kwargs) -> T:
            if not observers():
                return function(*args, **given)
            return _observed(operation, clock_of(args[0]), lambda: function(*args, **given))

        return called

    return around


def _observed(operation: Literal["search", "save", "deliver"], clock: "Clock", work: Callable[[], T]) -> T:
    began, started, result, error = clock.now(), clock.elapsed_s(), None, ""
    try:
        result = work()
        return result
    except BaseException as raised:
        error = type(raised).__name__
        raise
    finally:
        observation = Observation(operation, began, clock.elapsed_s() - started, result, error)
        for name, observer in observers():
            try:
                observer(observation)
            except Exception as failed:  # noqa: BLE001 -- as above
                left_out(name, f"observers: {type(failed).__name__}: {failed}")


def spaces_of_plugins(settings: "Settings") -> "Sequence[Space]":
    """Return the folders of memories that plugins add."""
    spaces: list[Space] = []
    for plugin in plugins():
        if plugin.spaces is not None:
            with _noting(plugin, "spaces"):
                spaces += plugin.spaces(settings)
    return spaces


def findings_of_plugins(facts: "Facts") -> "Sequence[Finding]":
    """Return the findings of plugins' checks, without those of a plugin that raises."""
    findings: list[Finding] = []
    for plugin in plugins():
        with _noting(plugin, "checks"):
            findings += [check(facts) for check in plugin.checks()]
    return findings


@contextmanager
def _noting(plugin: Plugin, part: str, raised: tuple[type[Exception], ...] = ()) -> Iterator[None]:
    """Record an exception of a plugin's function, and continue without it; exceptions of the types in `raised` propagate."""
    try:
        yield
    except raised:
        raise
    except Exception as error:  # noqa: BLE001 -- as above
        left_out(plugin.name, f"{part}: {type(error).__name__}: {error}")


#: Fields of `Plugin` that are functions returning rows.
_PARTS = (
    "verbs", "commands", "jobs", "formats", "libraries", "hosts", "places", "views", "embedders", "routes", "apps",
    "prompts", "tools", "demos", "rankers", "checks", "observers",
)  # fmt: skip


def tried() -> tuple[Failure, ...]:
    """Load every part of the installed plugins, and return all failures in this process."""
    for part in _PARTS:
        added(part)
    return tuple(_failures)


def setting_rows(taken: Iterable[str]) -> tuple[Field[Any], ...]:
    """Return the settings of plugins in the form of built-in rows, without those whose names are taken."""
    names, rows = set(taken), []
    for plugin in plugins():
        for setting in plugin.settings:
            if setting.name in names:
                left_out(plugin.name, f"settings: {setting.name} is taken")
                continue
            names.add(setting.name)
            rows.append(_row(setting))
    return tuple(rows)


def _row(setting: Setting) -> Field[Any]:
    about = {name: getattr(setting, name) for name in ("meaning", "unit", "choices", "least", "most")}
    row: Field[Any] = field(default=setting.default, metadata={**about, "shape": None, "instead": setting.default})
    row.name = setting.name
    return row
