"""What a row of the table of verbs is: a verb, what it takes, what it needs."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import replace

from vademecum.api import Vademecum
from vademecum.api.runner import Needs, run
from vademecum.domain.errors import InvalidInput, Refused
from vademecum.domain.memory import By

Type = Literal["text", "words", "number", "share", "flag", "list", "date", "file", "numbers", "object", "objects"]


#: What an argument names.
Named = Literal["", "kind", "memory", "place"]

Standing = Literal["everyday", "group", "agent"]

REQUIRED = object()

#: Between the name of a verb and the flag of it that is a verb of its own.
FLAG = " --"

#: Longest text of an argument and most entries of a list, in characters and entries; a row may say otherwise.
TEXT_MAX_CHARS, LIST_MAX_ITEMS, NUMBER_MAX = 200_000, 1_000, 1_000_000


class Param(Struct, frozen=True):
    """One argument of a verb.

    Attributes:
        type: "words" is the rest of the line joined by spaces, "share" 0..1, "date" an ISO date or moment, "file" text that
            may come from a file or standard input, "numbers" a list of whole numbers, "object" any JSON object, "objects" a list
            of objects with `fields`.
        default: REQUIRED when it must be given.
        place: given by position on the command line rather than by name. or_place: by name, or by position as it was once.
        named: what it names, which a shell can complete; a "place" on the disk is only the person's to name.
        choices: allowed values, or None. many: there are so many that schemas name none; a wrong one is answered with them.
        least, most: of a number, both inclusive. max_chars: of a text, or of each text of a list. max_items: of a list.
        commas: whether a list may be written as one text with commas between its entries.
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


class Verb(Struct, frozen=True):
    """One thing that can be done.

    A name such as "list --count" says that this is done by the verb "list" with that flag.

    Attributes:
        run: called with the memory and the arguments by name; gives a value.
        show: makes text for a person of that value.
        signed: `run` takes `by`: who acts, through which door.
        writes: it changes something; over HTTP it is asked for by POST alone.
        writes_with: names of the flags with which it changes something; without them it only reads.
        failed: of what it gives: whether the command line ends with 1, for scripts.
        heals: a damaged index is rebuilt and the verb done again; False: it tells of the damage itself.
        needs_enabled: memory must be switched on; None: as for all that write.
        agents: whether an agent may do it; False for what is the person's own word.
        consent: name of the flag without which it only shows what it would do; a person at a terminal is asked then.
        lasting: what it does then cannot be undone.
        screen: what a terminal shows when it is called without arguments.
        asks: it answers a question with the models that a helper keeps warm; other reads may take long and need none.
        by_helper: it is soon done, names no file and asks the person nothing: a command has a helper do it, where there is one.
        standing: on the command line: shown first, shown in its group, or behind `vade agent`.
        by_flag: flag -> the verb that is meant with it; rows whose name ends with a flag give it (:func:`joined`).
    """

    name: str
    meaning: str
    params: tuple[Param, ...]
    run: Callable[..., Any]
    show: Callable[[Any], str]
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
        """What is typed for it behind `vade`."""
        return f"agent {self.name}" if self.standing == "agent" else self.name

    @property
    def slug(self) -> str:
        """Its name as a part of an address: "sessions list" is "sessions-list" there."""
        return self.name.replace(" ", "-")

    @property
    def needs(self) -> Needs:
        """What it needs of the memory."""
        return Needs(self.writes, self.heals, self.writes if self.needs_enabled is None else self.needs_enabled)

    def meant(self, values: Mapping[str, Any]) -> "tuple[Verb, dict[str, Any]]":
        """Return the verb that is meant with these values, by its flag, and what of them that verb takes.

        Raises:
            InvalidInput: a value is missing that it needs.
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
        """Return whether it changes something with these values."""
        if self.by_flag:
            return self._by_its_flag(values).is_writing(values)
        return self.writes or any(values.get(name) for name in self.writes_with)

    def is_aside(self, values: Mapping[str, Any]) -> bool:
        """Return whether it only reads and may take long with these values, so that a helper has another process do it."""
        if self.by_flag:
            return self._by_its_flag(values).is_aside(values)
        return not self.is_writing(values) and (not self.asks or values.get("as_of") is not None)

    def is_for_helper(self, values: Mapping[str, Any]) -> bool:
        """Return whether a command has it done on the memory that a helper has open, where there is one."""
        return self.by_helper and not self.is_aside(values)

    def do(self, memory: Vademecum, values: Mapping[str, Any], by: By) -> Any:
        """Return what it gives, with what it needs seen to; `values` as :func:`vademecum.entrypoints.arguments.checked` gives them."""
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
        return run(memory.context, needs, lambda: self.run(seen, **values, **signature))

    def _must_name_no_place(self, values: Mapping[str, Any]) -> None:
        """Refuse arguments by which a program would have files read or made that the person did not name.

        Raises:
            Refused: there is one.
        """
        for param in self.params:
            if param.named == "place" and values.get(param.name):
                raise Refused(
                    f"Only the person names files and folders ({param.name}).", f"At their terminal: vade {self.typed}"
                )


def joined(rows: Iterable[Verb]) -> Iterator[Verb]:
    """Yield the rows whose names have no flag; a verb takes the arguments of its rows with flags too, none of them required."""
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
    """Yield verbs as :func:`joined` gives them, each with what is done by flags of it behind it."""
    for verb in verbs:
        yield verb
        yield from (row for flag, row in verb.by_flag.items() if flag)


def _joined(main: Verb, by_flag: Mapping[str, Verb]) -> Verb:
    params = {param.name: replace(param, default=None) if param.default is REQUIRED else param for param in main.params}
    has_places = any(param.place for param in main.params)
    for flag, verb in by_flag.items():
        params[flag] = Param(flag, "flag", verb.meaning, False)
        for param in verb.params:
            default = None if param.default is REQUIRED else param.default
            params.setdefault(param.name, replace(param, default=default, place=param.place and not has_places))
    return replace(main, params=tuple(params.values()), by_flag={"": main, **by_flag})


AS_OF = Param("as_of", "date", "The state at that time, by what had been recorded then.", None)


AGENT = Param("agent", "text", "Also what belongs to this agent.", "", max_chars=80)


def ref_param() -> Param:
    return Param("ref", "text", "An id, the start of one, an alias, a path or a title.", place=True, named="memory")


def where_params() -> tuple[Param, ...]:
    return (
        Param("kind", "list", "Only these kinds.", (), named="kind"),
        Param("space", "list", "Only these spaces.", ()),
        Param("source", "list", "Only these sources: memory, document, session.", ()),
        Param("status", "list", "Only these statuses.", ()),
        Param("project", "text", "Only those of this project and of no project.", ""),
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
