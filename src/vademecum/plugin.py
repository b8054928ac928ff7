"""Plugins: what a distribution adds to Vademecum, as one value, and how installed ones are found.

A plugin is a `Plugin` named by an entry point of the group `vademecum.plugins`. Its functions are called when what they give is first
needed, so a plugin costs a start only its own small module. docs/plugins.md shows a whole one.
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

    from vademecum.adapters.hosts.table import TableHost
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
    from vademecum.entrypoints.verbs.table import Verb
    from vademecum.maintenance.jobs import Job
    from vademecum.ports.embedder import Embedder
    from vademecum.ports.transcripts import Place, TranscriptFormat, TranscriptLibrary
    from vademecum.recall.ranker import Ranker
    from vademecum.settings import Settings
    from vademecum.views.view import View
    from vademecum.write.review import Decided

GROUP = "vademecum.plugins"

#: Where our own plugins lie.
BUILT_IN = "vademecum.plugins."

T = TypeVar("T")
P = ParamSpec("P")


class Setting(Struct, frozen=True):
    """A setting of a plugin. It is set like every other: `vade settings set`, the configuration file, VADEMECUM_<NAME>.

    Attributes:
        name: unique among all settings; begin it with the plugin's name.
        default: its value when nothing is set; its type (bool, int, float, str or a tuple of str) is the setting's.
        meaning: what it does, one sentence. unit: of a number. choices: the words it takes; empty: any.
        least, most: bounds of a number, both included; `most` None: no upper one.
    """

    name: str
    default: Any
    meaning: str
    unit: str = ""
    choices: tuple[str, ...] = ()
    least: float = 0
    most: float | None = None


class Demo(Struct, frozen=True):
    """A demo of a plugin, which `vade demo --NAME` shows. run: given what prints a line."""

    name: str
    meaning: str
    run: Callable[[Callable[[str], object]], object]


class EmbedderService(Struct, frozen=True):
    """A service or package whose models turn text into vectors, for the setting `embedder`: `NAME:MODEL`, or `NAME` for its usual one.

    Attributes:
        name: lower case, without a colon. usual_model: the one that is meant when none is named.
        open: given a model, the setting `embedder_url` and what returns `embedder_key`, returns the embedder. It raises
            `EmbedderUnavailable` when its package is missing.
    """

    name: str
    usual_model: str
    open: "Callable[[str, str, Callable[[], str]], Embedder]"


class Observation(Struct, frozen=True):
    """An operation that ended.

    Attributes:
        began: aware, UTC. seconds: how long it took.
        result: what it returned: of "search" a `Recall`, of "save" a `Saved`, of "deliver" a `Delivery`; None when it raised.
        error: name of the class that it raised; "" for none.
    """

    operation: Literal["search", "save", "deliver"]
    began: "datetime"
    seconds: float
    result: Any
    error: str = ""


class Worked(Struct, frozen=True):
    """A conversation that was worked through after it ended.

    Attributes:
        outline: what it was about, in short. met: what might be a memory in it. handoff: id of its handoff, "" for none.
    """

    session: "Session"
    outline: "Outline"
    met: "Sequence[Candidate]"
    handoff: str


class Plugin(Struct, frozen=True, kw_only=True):
    """What a plugin adds.

    Attributes:
        name: lower case, unique among the installed ones. about: what it is for, one sentence.
        settings: its settings.
        verbs: gives its verbs; each becomes a command, an HTTP route and a verb of MCP's `memory_verb`.
        first_words: first word of verbs of two -> what they are about. usual: first word -> second word meant when none is given.
        menu: title of a group of `vade --help` -> names of commands that it lists there, with spaces between them.
        examples: of its commands, lines such as `standup: standup --project webapp`: the words of a command, and what is typed.
        commands: gives commands of the command line alone, which run in a process of their own.
        jobs: gives work that the helper does in its rounds.
        formats: gives transcript formats; they are asked before our own.
        libraries: gives kinds of files that hold many transcripts; they are asked before our own.
        hosts: gives programs in which agents run: their hooks, and what `vade install` writes for them. places: gives places where such
            programs keep conversations.
        views: gives generated pages.
        embedders: gives services whose models turn text into vectors.
        checks: gives checks of `vade doctor`: functions that are given the facts and return a finding.
        routes: gives HTTP routes under which programs of an earlier design call.
        apps: gives applications that the helper serves on its HTTP port, such as pages.
        prompts: gives prompts that a person starts from their host, over MCP. tools: gives tools of MCP beside those of the verbs.
        demos: gives demos, each an option of `vade demo`.
        spaces: given the settings, returns folders of memories that are read beside the person's, such as mirrors; it is called whenever
            a memory is opened, also by hooks.
        rankers: gives rankers of recall, for the setting `profile`; each is called what its profile is called.
        observers: gives functions that are given each :class:`Observation`; none costs nothing. They must be fast: somebody waits.
        compacts: cleans up what the plugin keeps, when `vade compact` does; returns what it removed, name -> how many.
        last_words: given the name of an agent, returns how its chat stopped, for its next session; None: not known.
        instructions: lines for agents of hosts without hooks, about commands that they should use; AGENT stands for their name.
        after_session: is given a conversation that was worked through; returns the days to whose notes it wrote. What memory's own errors
            say is told with the session, which is worked through again.
        after_review: is given decisions about proposals that were just carried out, and returns them, perhaps with `page` and `note` of
            what followed. after_sitting: the same at the end of a review at a terminal; returns lines to say.
    """

    name: str
    about: str
    settings: tuple[Setting, ...] = ()
    verbs: "Callable[[], Sequence[Verb]]" = tuple
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
    """Return a function that calls the one of that name in a module, which is imported with the first call."""

    def called(*given: Any) -> Any:
        return getattr(importlib.import_module(module), name)(*given)

    return called


def rows_in(module: str, name: str) -> Callable[[], Sequence[Any]]:
    """Return a function that imports a module and returns the rows that it holds under a name."""
    return lambda: tuple(getattr(importlib.import_module(module), name))


def on_context(use_case: Callable[..., T]) -> Callable[..., T]:
    """Return a use case, a function of a context, as a function of an open memory: what `run` of a verb takes."""

    @wraps(use_case)
    def of_memory(memory: Any, *args: Any, **values: Any) -> T:
        return use_case(memory.context, *args, **values)

    return of_memory


class Failure(Struct, frozen=True):
    """Why a plugin, or a part of it, is left out. plugin: its name, as its entry point says it."""

    plugin: str
    reason: str


#: What failed in this process so far, each once.
_failures: dict[Failure, None] = {}


def left_out(plugin: str, reason: str) -> None:
    """Note that a plugin or a part of it is left out; :func:`tried` returns it."""
    _failures[Failure(plugin, reason)] = None


@cache
def plugins() -> tuple[Plugin, ...]:
    """Return the installed plugins in the order of their names, without those that cannot be loaded (:func:`left_out`)."""
    loaded: dict[str, Plugin] = {}
    for name, target in sorted(entry_points(sys.path)):
        module, _, attribute = target.partition(":")
        try:
            plugin = getattr(importlib.import_module(module), attribute)
        except ModuleNotFoundError as error:
            if not (module.startswith(BUILT_IN) and f"{module}.".startswith(f"{error.name}.")):  # else its folder was removed
                left_out(name, str(error))
            continue
        except Exception as error:  # noqa: BLE001 -- a stranger's module may raise anything; doctor names it
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
    """Yield (name, "module:attribute") of each entry point of `GROUP` in the distributions below folders of Python's path.

    `importlib.metadata` does the same, and its import alone takes some 40 ms, twenty times what this does.
    """
    seen: set[str] = set()
    for folder in folders:
        try:
            names = sorted(
                entry.name for entry in os.scandir(folder or ".") if entry.name.endswith((".dist-info", ".egg-info"))
            )
        except OSError:
            continue  # a path that is not there, or a zip archive
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


def added(part: str) -> tuple[tuple[str, Any], ...]:
    """Return (name of the plugin, row) of all that the installed plugins add in one part.

    Args:
        part: name of a field of `Plugin` that gives a sequence when called.
    """
    rows: list[tuple[str, Any]] = []
    for plugin in plugins():
        try:
            rows += [(plugin.name, row) for row in getattr(plugin, part)()]
        except Exception as error:  # noqa: BLE001 -- as above
            left_out(plugin.name, f"{part}: {type(error).__name__}: {error}")
    return tuple(rows)


def named(part: str, own: Iterable[T], key: Callable[[T], str]) -> tuple[T, ...]:
    """Return what the installed plugins add in one part whose rows have names, without what has a name that is taken.

    Args:
        part: as :func:`added`. own: ours, whose names are taken. key: the name of one.
    """
    taken, rows = {key(row) for row in own}, []
    for plugin, row in added(part):
        if key(row) in taken:
            left_out(plugin, f"{part}: {key(row)} is taken")
            continue
        taken.add(key(row))
        rows.append(row)
    return tuple(rows)


def compacted_by_plugins(context: "Context") -> Mapping[str, int]:
    """Have the plugins clean up what they keep; return name -> how many of it were removed."""
    counts: dict[str, int] = {}
    for plugin in plugins():
        if plugin.compacts is not None:
            with _noting(plugin, "compacts"):
                counts |= plugin.compacts(context)
    return counts


def last_words_of(context: "Context", agent: str) -> "Snapshot | None":
    """Return how the chat of an agent stopped, by the first plugin that knows it."""
    for plugin in plugins():
        if plugin.last_words is not None:
            with _noting(plugin, "last_words"):
                if words := plugin.last_words(context, agent):
                    return words
    return None


def after_session(context: "Context", worked: Worked, raised: "tuple[type[Exception], ...]") -> "tuple[date, ...]":
    """Return the days to whose notes the plugins wrote after a conversation.

    Args:
        raised: errors that the caller handles; whatever else a plugin raises is noted, and the others go on.
    """
    days: list[date] = []
    for plugin in plugins():
        if plugin.after_session is not None:
            with _noting(plugin, "after_session", raised):
                days += plugin.after_session(context, worked)
    return tuple(days)


def after_review(memory: "Vademecum", decided: "tuple[Decided, ...]", by: "By") -> "tuple[Decided, ...]":
    """Return decisions about proposals with what the plugins did after them; a plugin that raises is noted, and the others go on."""
    for plugin in plugins():
        if plugin.after_review is not None:
            with _noting(plugin, "after_review"):
                decided = plugin.after_review(memory, decided, by)
    return decided


def after_sitting(memory: "Vademecum", decided: "tuple[Decided, ...]") -> Sequence[str]:
    """Return what the plugins say at the end of a review at a terminal."""
    lines: list[str] = []
    for plugin in plugins():
        if plugin.after_sitting is not None:
            with _noting(plugin, "after_sitting"):
                lines += plugin.after_sitting(memory, decided)
    return lines


@cache
def observers() -> "tuple[tuple[str, Callable[[Observation], object]], ...]":
    """Return (name of the plugin, function) of all that observe what this process does."""
    return added("observers")


def observed(operation: Literal["search", "save", "deliver"]) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Have plugins observe a function; an observer that raises is noted and changes nothing."""

    def around(function: Callable[P, T]) -> Callable[P, T]:
        @wraps(function)
        def called(*args: P.args, **given: P.kwargs) -> T:
            return _observed(operation, lambda: function(*args, **given)) if observers() else function(*args, **given)

        return called

    return around


def _observed(operation: Literal["search", "save", "deliver"], work: Callable[[], T]) -> T:
    clock = late("vademecum.adapters.clock", "SystemClock")()
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
    """Return the folders of memories that the plugins have read."""
    spaces: list[Space] = []
    for plugin in plugins():
        if plugin.spaces is not None:
            with _noting(plugin, "spaces"):
                spaces += plugin.spaces(settings)
    return spaces


def findings_of_plugins(facts: "Facts") -> "Sequence[Finding]":
    """Return what the checks of plugins find; those of a plugin that raises are left out."""
    findings: list[Finding] = []
    for plugin in plugins():
        with _noting(plugin, "checks"):
            findings += [check(facts) for check in plugin.checks()]
    return findings


@contextmanager
def _noting(plugin: Plugin, part: str, raised: tuple[type[Exception], ...] = ()) -> Iterator[None]:
    """Note what a plugin's function raises, and go on without it; errors of the types in `raised` are the caller's."""
    try:
        yield
    except raised:
        raise
    except Exception as error:  # noqa: BLE001 -- as above
        left_out(plugin.name, f"{part}: {type(error).__name__}: {error}")


#: Fields of `Plugin` whose rows are made by a function.
_PARTS = (
    "verbs", "commands", "jobs", "formats", "libraries", "hosts", "places", "views", "embedders", "routes", "apps",
    "prompts", "tools", "demos", "rankers", "checks", "observers",
)  # fmt: skip


def tried() -> tuple[Failure, ...]:
    """Ask the installed plugins for all that they add, and return what was left out in this process, and why."""
    for part in _PARTS:
        added(part)
    return tuple(_failures)


def setting_rows(taken: Iterable[str]) -> tuple[Field[Any], ...]:
    """Return the settings of plugins as rows like our own, without those whose names are taken."""
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
