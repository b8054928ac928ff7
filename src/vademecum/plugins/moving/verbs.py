"""Verbs for import and export."""

import sys
from collections.abc import Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from vademecum.domain.ids import short_id
from vademecum.domain.kinds import kind_named
from vademecum.domain.memory import By
from vademecum.domain.query import Scope
from vademecum.plugin_api.memory import Vademecum
from vademecum.plugin_api.verbs import Param, Verb
from vademecum.plugins.moving.exporting import MARKDOWN, TARGETS, Export, export_memories
from vademecum.plugins.moving.formats.given import FILE_MAX_BYTES, FILES_MAX
from vademecum.plugins.moving.importing import Brought, Imported, ImportOptions, import_memories

#: Files given as text, for programs that cannot name a path on this machine.
FILES = Param(
    "files", "objects", "For programs: files instead of paths.", (), max_items=FILES_MAX,
    fields=(
        Param("text", "text", "Its content.", max_chars=FILE_MAX_BYTES),
        Param("path", "text", "Its path in its folder; some files are recognised by name.", "", max_chars=1000),
    ),
)  # fmt: skip

#: Questions shown after filling a new memory, with the kinds that answer them, so that the person sees its content.
SEED_QUESTIONS: Mapping[str, tuple[str, ...]] = {
    "Who am I?": ("identity",),
    "How do I like things to be done?": ("preference", "style", "procedure"),
    "What did I decide?": ("decision",),
}
#: Memories named for each question.
_ANSWERS = 2

#: Most file names in a list.
_NAMED = 5
_OUTCOMES = {
    "new": "new", "changed": "changed since, proposed as replacements",
    "waits": "wait for you: they instruct an agent, or contradict what is known", "known": "known already",
    "repeated": "said twice", "refused": "refused", "unread": "unreadable",
}  # fmt: skip


def _import(memory: Vademecum, paths: tuple[str, ...], files: list[dict[str, str]], options: ImportOptions, by: By) -> Imported:
    if "-" in paths:
        files = [*files, {"path": "", "text": sys.stdin.buffer.read().decode("utf-8", "replace")}]
    return import_memories(memory.context, tuple(path for path in paths if path != "-"), files, options, by=by)


def _seed(memory: Vademecum, paths: tuple[str, ...], files: list[dict[str, str]], options: ImportOptions, by: By) -> Imported:
    done = _import(memory, paths, files, replace(options, seed=True), by)
    kept = any(other.status == "active" for other in done.saved)
    return replace(done, answers=tuple(_answers(memory))) if kept else done


def _answers(memory: Vademecum) -> Iterator[tuple[str, str]]:
    for question, kinds in SEED_QUESTIONS.items():
        yield question, "; ".join(item.title for item in memory.notes.list(_ANSWERS, kind=kinds, status=("active",)))


def imported_text(result: Imported) -> str:
    """Return the records by format with their outcomes, and the problems."""
    lines = [line for brought in result.brought for line in _brought(brought)]
    lines += [f"problem: {problem.path}: {problem.message}" for problem in result.problems]
    if result.conversations:
        lines.append(f"conversations, which are read by `vade capture`: {_some(result.conversations)}")
    if result.others:
        lines.append(f"of no known format: {_some(result.others)}")
        pages = [name for name in result.others if name.endswith(".md")]
        lines += [f"  each of these {len(pages)} notes can be imported as one memory: vade import notes PATH"] if pages else []
    return "\n".join([*lines, *_done(result)])


def _brought(brought: Brought) -> list[str]:
    counted = [f"{number} {_OUTCOMES[outcome]}" for outcome in _OUTCOMES if (number := brought.counts.get(outcome, 0))]
    files = "1 file" if len(brought.files) == 1 else f"{len(brought.files)} files"
    return [f"{brought.format}: {brought.meaning}, {files}", f"  {', '.join(counted) or 'nothing in it'}"]


def _some(names: tuple[str, ...]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more


def _done(result: Imported) -> list[str]:
    coming = any(count for brought in result.brought for count in brought.files.values())
    if not coming:
        return ["Nothing new was found."]
    if result.dry_run:
        then = "are saved as your own memories" if result.mine else "wait in your inbox; --mine saves them as your own memories"
        return [f"Nothing was written yet. With --yes they {then}."]
    kept = [memory for memory in result.saved if memory.status != "archived"]
    waiting = sum(one.status == "inbox" for one in kept)
    lines = [f"{len(kept) - waiting} saved, {waiting} in the inbox"]
    if waiting:
        lines += [
            f"  decide about all at once: vade review-all approve --pattern import.{brought.format}"
            for brought in result.brought
            if not result.mine
        ]
    always = sum(one.always_load for one in kept)
    lines += [f"  {always} of them are shown at the start of every session once they are saved"] if always else []
    lines += [f"  {question} {title or 'Nothing known about that.'}" for question, title in result.answers]
    return [*lines, f"  take it all back: vade undo {short_id(kept[0].id)}", "The files are unchanged."]


class _Only(Struct, frozen=True):
    """Which memories are exported; an empty field restricts nothing."""

    kind: tuple[str, ...] = ()
    project: str = ""
    tag: tuple[str, ...] = ()

    def scope(self) -> Scope:
        kinds = tuple(kind_named(word)[0] for word in self.kind) or None
        return Scope(kinds=kinds, projects=(self.project,) if self.project else None, tags=self.tag or None)


def _export(memory: Vademecum, folder: str, to: str, group: str, only: _Only, by: By) -> Export:
    first, _, rest = folder.partition(" ")
    if rest and first in TARGETS:  # the name of a format may come first, as at an import
        folder, to = rest, first
    return export_memories(memory.context, folder, to, group, only.scope(), by=by)  # type: ignore[arg-type]


def exported_text(result: Export) -> str:
    """Return the text, or the number of memories and files; and fields that could not be exported."""
    if not result.folder:
        return result.text.removesuffix("\n")
    files = "1 file" if len(result.files) == 1 else f"{len(result.files)} files"
    lines = [f"{result.memories} memories as {result.to}: {result.folder} ({files})"]
    if result.unheld:
        lines.append("could not be exported: " + ", ".join(f"{name} of {count}" for name, count in result.unheld.items()))
    return "\n".join(lines)


#: Parameters of an import.
_BROUGHT = (
    Param("paths", "list", "What to read, recognised by its content; - for pasted text. The name of a format may come first.", (),
          place=True, commas=False, named="place"),
    FILES,
    Param("mine", "flag", "It is your own memory: save it at once instead of in the inbox.", False),
    Param("yes", "flag", "Do it; without this it only shows what it would do.", False),
)  # fmt: skip

VERBS = (
    Verb("import",
         "Import what another memory knows: files, folders or ZIP archives, or text that you paste. It first shows what would be imported.",
         _BROUGHT, _import, imported_text, {"options": ImportOptions}, writes=True, agents=False, consent="yes", signed=True),
    Verb("import --seed",
         "Fill a new memory from rules for agents, auto-memory or older notes: like import, but at most 20 memories, identity and"
         " preferences first, are loaded at every start.", _BROUGHT, _seed, imported_text, {"options": ImportOptions}, writes=True,
         agents=False, consent="yes", signed=True),
    Verb("export", "Export what is known: as pages for people, or in the format of another memory. Nothing is overwritten.", (
        Param("folder", "words", "A new folder; without one, a single file is printed. The name of a format may come first.", "",
              place=True, max_chars=4000, named="place"),
        Param("to", "text", "The format; vademecum has everything, and is read back with: vade import FILE --mine", MARKDOWN,
              choices=TARGETS),
        Param("group", "text", "What the headings of markdown are.", "topic", choices=("topic", "kind")),
        Param("kind", "list", "Only these kinds.", (), named="kind"),
        Param("project", "text", "Only this project's, and those of no project.", ""),
        Param("tag", "list", "Only what has one of these tags.", ()),
    ), _export, exported_text, {"only": _Only}, agents=False, signed=True),
)  # fmt: skip
