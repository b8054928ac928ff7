"""The classes of which rows of verbs are made: a verb, its parameters, its needs."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal

from msgspec import Struct
from msgspec.structs import replace

from vademecum.api.runner import Needs, run
from vademecum.domain.errors import InvalidInput, Refused
from vademecum.domain.memory import By

if TYPE_CHECKING:
    from vademecum.api import Vademecum

Type = Literal["text", "words", "number", "share", "flag", "list", "date", "file", "numbers", "object", "objects"]


#: What an argument refers to.
Named = Literal["", "kind", "memory", "place"]

Standing = Literal["everyday", "group", "agent"]

REQUIRED = object()

#: Type of a parameter -> what help writes for its value; of the others, its name.
_PLACEHOLDERS = {"number": "N", "share": "0..1", "date": "DATE", "file": "TEXT", "object": "JSON", "objects": "JSON"}
#: What a person may write for DATE.
DATES = "a day such as 2026-11-21, yesterday, 3d (days ago), 2w or last week, or a time such as 2026-11-21T14:30"

#: Separates the name of a verb from its flag that is a verb of its own: "list --count".
FLAG = " --"

#: Default limits of a parameter: characters of a text, entries of a list, size of a number.
TEXT_MAX_CHARS, LIST_MAX_ITEMS, NUMBER_MAX = 200_000, 1_000, 1_000_000


class Param(Struct, frozen=True):
    """One argument of a verb.

    Attributes:
        type: "words" is the rest of the line joined by spaces, "share" a number 0..1, "date" an ISO date, a datetime or a day
            such as "yesterday" or "3d", "file" text that may come from a file or standard input, "numbers" a list of integers,
            "object" any JSON object, "objects" a list of objects with `fields`.
        default: REQUIRED if it must be given.
        place: positional on the command line. or_place: named, or positional as in earlier versions.
        named: what it refers to, for shell completion. Only the person may give a "place", a path on the disk.
        choices: allowed values, or None. many: too many to list in schemas; the error of a wrong value lists them.
        least, most: bounds of a number, both inclusive. max_chars: of a text, or of each text of a list. max_items: of a list.
        commas: whether a list may be given as one text separated by commas.
    """

    name: str
    type: Type
    meaning: str
    default: Any = REQUIRED
    place: bool = False
    or_place: bool = False
    named: Named = ""
    choices: tuple[str, ...] | None = None
    many: bool = False
    least: float = 0
    most: float = NUMBER_MAX
    max_chars: int = TEXT_MAX_CHARS
    max_items: int = LIST_MAX_ITEMS
    commas: bool = True
    fields: "tuple[Param, ...]" = ()

    @property
    def placeholder(self) -> str:
        """What help writes for its value: `DATE`, `N`, its own name; followed by `,...` if several may be separated by commas."""
        several = ",..." if self.type == "list" and self.commas and not self.place else ""
        return _PLACEHOLDERS.get(self.type, self.name.upper()) + several


class Verb(Struct, frozen=True):
    """An operation that all interfaces offer.

    The name "list --count" means the verb "list" with that flag.

    Attributes:
        run: called with the memory and the arguments by name; returns a value.
        show: renders that value as text.
        records: argument of `run` -> record that it is given, made of the verb's arguments that are fields of the record.
        signed: `run` also gets `by`: who acts, through which interface.
        writes: it changes something; over HTTP it needs POST.
        writes_with: names of flags with which it changes something; without them it only reads.
        failed: given the value, whether the command exits with 1.
        heals: if the index is damaged, it is rebuilt and the verb run again; False: the verb reports the damage itself.
        needs_enabled: memory must be switched on; None: only if it writes.
        agents: whether an agent may run it; False for what only the person decides.
        consent: flag without which it only shows what it would do; at a terminal the person is asked.
        lasting: with consent, its effect cannot be undone.
        screen: what a terminal shows if it is called without arguments.
        asks: it uses the models that the helper has loaded. Other reads may take long and need none.
        by_helper: it is fast, reads no file of the caller and asks nothing, so the command lets the helper run it.
        standing: on the command line: shown first, shown in its group, or under `vade agent`.
        by_flag: flag -> verb that runs instead, from rows whose name ends with a flag (:func:`joined`).
    """

    name: str
    meaning: str
    params: tuple[Param, ...]
    run: Callable[..., Any]
    show: Callable[[Any], str]
    records: Mapping[str, type] = {}
    signed: bool = False
    writes: bool = False
    writes_with: tuple[str, ...] = ()
    failed: Callable[[Any], bool] = lambda result: False
    heals: bool = True
    needs_enabled: bool | None = None
    agents: bool = True
    consent: str = ""
    lasting: bool = False
    screen: "Callable[[Vademecum], object] | None" = None
    asks: bool = False
    by_helper: bool = False
    standing: Standing = "group"
    by_flag: "Mapping[str, Verb]" = {}

    @property
    def typed(self) -> str:
        """The words typed after `vade`."""
        return f"agent {self.name}" if self.standing == "agent" else self.name

    @property
    def slug(self) -> str:
        """Its name in a URL: "sessions list" is "sessions-list"."""
        return self.name.replace(" ", "-")

    @property
    def needs(self) -> Needs:
        """What it needs of the memory."""
        return Needs(self.writes, self.heals, self.writes if self.needs_enabled is None else self.needs_enabled)

    def meant(self, values: Mapping[str, Any]) -> "tuple[Verb, dict[str, Any]]":
        """Return the verb that these values select by a flag, and its arguments.

        Raises:
            InvalidInput: a required value is missing.
        """
        if not self.by_flag:
            return self, dict(values)
        verb = self._by_its_flag(values)
        taken = dict[str, Any]()
        for param in verb.params:
            taken[param.name] = values.get(param.name)
            if taken[param.name] is None and param.default is not REQUIRED:
                taken[param.name] = param.default
            if param.default is REQUIRED and taken[param.name] in (None, ""):
                raise InvalidInput(f"{verb.name} needs {param.name}.", param.meaning)
        return verb, taken

    def _by_its_flag(self, values: Mapping[str, Any]) -> "Verb":
        return self.by_flag[next((name for name in self.by_flag if values.get(name)), "")]

    def is_writing(self, values: Mapping[str, Any]) -> bool:
        """Return whether it writes with these values."""
        if self.by_flag:
            return self._by_its_flag(values).is_writing(values)
        return self.writes or any(values.get(name) for name in self.writes_with)

    def is_aside(self, values: Mapping[str, Any]) -> bool:
        """Return whether it is a long read with these values, which the helper leaves to another process."""
        if self.by_flag:
            return self._by_its_flag(values).is_aside(values)
        return not self.is_writing(values) and (not self.asks or values.get("as_of") is not None)

    def is_for_helper(self, values: Mapping[str, Any]) -> bool:
        """Return whether a command lets a running helper do it with these values."""
        return self.by_helper and not self.is_aside(values)

    def do(self, memory: "Vademecum", values: Mapping[str, Any], by: By) -> Any:
        """Run it with its needs satisfied, and return its result. `values`: from :func:`vademecum.entrypoints.arguments.checked`."""
        if self.by_flag:
            verb, values = self.meant(values)
            if by.actor == "agent" and self.agents and not verb.agents:
                raise Refused("Only the person does this.", f"At their terminal: vade {verb.typed}")
            return verb.do(memory, values, by)
        if by.actor != "user":
            self._must_name_no_place(values)
        signature = {"by": by} if self.signed else {}
        needs = Needs(True, self.heals, True) if self.is_writing(values) and not self.writes else self.needs
        seen = memory.seen_by(by, str(values.get("agent") or ""))
        given = self._in_records(values)
        return run(memory.context, needs, lambda: self.run(seen, **given, **signature))

    def _in_records(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return the arguments of `run`: the values, with those that are fields of its records in these."""
        given = dict(values)
        for argument, record in self.records.items():
            given[argument] = record(**{name: given.pop(name) for name in record.__annotations__ if name in given})
        return given

    def _must_name_no_place(self, values: Mapping[str, Any]) -> None:
        """Reject paths given by a program: only the person may name files to read or write.

        Raises:
            Refused: there is one.
        """
        for param in self.params:
            if param.named == "place" and values.get(param.name):
                raise Refused(
                    f"Only the person names files and folders ({param.name}).", f"At their terminal: vade {self.typed}"
                )


def joined(rows: Iterable[Verb]) -> Iterator[Verb]:
    """Yield the verbs without rows for flags; such rows are merged into their verb, with all their parameters optional."""
    main, by_flag = list[Verb](), dict[str, dict[str, Verb]]()
    for row in rows:
        name, _, flag = row.name.partition(FLAG)
        if flag:
            by_flag.setdefault(name, {})[flag.replace("-", "_")] = row
        else:
            main.append(row)
    for row in main:
        yield _joined(row, by_flag[row.name]) if row.name in by_flag else row


def with_flags(verbs: Iterable[Verb]) -> Iterator[Verb]:
    """Yield the verbs of :func:`joined`, each followed by the verbs of its flags."""
    for verb in verbs:
        yield verb
        yield from (row for flag, row in verb.by_flag.items() if flag)


def _joined(main: Verb, by_flag: Mapping[str, Verb]) -> Verb:
    required = set.intersection(
        *({param.name for param in row.params if param.default is REQUIRED} for row in (main, *by_flag.values()))
    )
    params = {
        param.name: replace(param, default=None) if param.default is REQUIRED and param.name not in required else param
        for param in main.params
    }
    has_places = any(param.place for param in main.params)
    for flag, verb in by_flag.items():
        params[flag] = Param(flag, "flag", verb.meaning, False)
        for param in verb.params:
            default = None if param.default is REQUIRED else param.default
            params.setdefault(param.name, replace(param, default=default, place=param.place and not has_places))
    return replace(main, params=tuple(params.values()), by_flag={"": main, **by_flag})


#: How a memory is named.
REF = "The memory: its title, an alias, its id or the start of it, or its path."


AS_OF = Param("as_of", "date", "Memory as it was recorded at that time.", None)


AGENT = Param("agent", "text", "Also what belongs to this agent.", "", max_chars=80)


def ref_param() -> Param:
    return Param("ref", "text", REF, place=True, named="memory")


def where_params() -> tuple[Param, ...]:
    return (
        Param("kind", "list", "Only these kinds.", (), named="kind"),
        Param("space", "list", "Only these spaces.", ()),
        Param("source", "list", "Only these sources: memory, document, session.", ()),
        Param("status", "list", "Only these statuses: active, inbox, superseded, archived, ...", ()),
        Param("project", "text", "Only this project's, and those of no project.", ""),
        Param("tag", "list", "Only what has one of these tags.", ()),
        Param("since", "date", "Only items said or changed since this date.", None),
        Param("until", "date", "Only items said or changed before this date.", None),
        AS_OF,
        AGENT,
        Param("interface", "list", "Only items from these tools: claude-ai, claude-code, chatgpt, ...", ()),
    )


def reason_param() -> Param:
    return Param("reason", "text", "The reason, for the history.", "", place=True)


def body_param(meaning: str, default: Any = None) -> Param:
    return Param("body", "file", meaning + " A file with @path, standard input with -.", default)
