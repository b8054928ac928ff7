"""Choose the space, folder and free file name of a memory, and write the first text of its file."""

import itertools
from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from pathlib import Path

from vademecum.domain import wiki
from vademecum.domain.errors import AlreadyExists, InvalidInput, UnknownWord
from vademecum.domain.kinds import KINDS, Kind
from vademecum.domain.memory import Draft, Memory, Space, personal_space
from vademecum.ports.clock import Clock
from vademecum.vault import files, places
from vademecum.vault.find import Finder
from vademecum.vault.frontmatter import render
from vademecum.vault.journal import encoded
from vademecum.vault.note import read_memory
from vademecum.vault.property_checks import LEAVING, UNCHANGEABLE, checked, known_kind


def has_wiki(space: Space) -> bool:
    """Return whether a space has a wiki: one of its top-level pages exists."""
    return any((Path(space.root) / wiki.FOLDER / name).is_file() for name in wiki.PAGES)


class Locations:
    """Places of memory files in some spaces."""

    def __init__(self, spaces: Sequence[Space], finder: Finder, clock: Clock) -> None:
        self.spaces, self._finder, self._clock = tuple(spaces), finder, clock

    def space(self, name: str) -> Space:
        """Return the space of that name.

        Raises:
            UnknownWord: there is none.
        """
        for space in self.spaces:
            if space.name == name:
                return space
        raise UnknownWord("space", name, [space.name for space in self.spaces])

    def personal(self) -> Space:
        return personal_space(self.spaces)

    def space_for(self, draft: Draft, kind: Kind) -> Space:
        """Return the space that a draft names, else that of its project, else the personal one.

        A handoff always goes to the personal space: sessions are private to the person.
        """
        if draft.space:
            return self.space(draft.space)
        if kind.name == "handoff":
            return self.personal()
        project = draft.properties.get("project")
        own = [space for space in self.spaces if project and space.project == project]
        return [*own, self.personal()][0]

    def place(self, memory: Memory, slug: str, group: str | None = None) -> str:
        """Return the path of a memory's file by its kind, status and group.

        Args:
            slug: name of the file. group: folder above that of the kind; None: by project and agent.
        """
        kind, space = KINDS[memory.kind], self.space(memory.space)
        own = bool(space.project)
        if group is None:
            group = places.group_for(kind, project=memory.project, agent=memory.agent, own_space=own)
        return places.place(
            kind,
            slug,
            status=memory.status,
            group=group,
            always_load=memory.always_load,
            wiki_facet=memory.facet if has_wiki(space) else None,
        )

    def as_memory(self, space: Space, path: str, text: str) -> Memory:
        """Return the memory that a file with this text would have, modified now."""
        return read_memory(encoded(text), space, path, self._clock.now()).memory

    def drafted(self, draft: Draft, slug: str = "", path: str = "") -> tuple[Space, str, str]:
        """Return the space, file text and path of a new memory.

        Raises:
            InvalidInput, UnknownWord: a value is invalid.
        """
        kind, facet = known_kind(draft.kind)
        now, given = self._clock.now(), dict(draft.properties)
        if set(given) & UNCHANGEABLE:
            raise InvalidInput(f"{min(set(given) & UNCHANGEABLE)} is set by the vault.", "Leave it out.")
        if draft.tags:
            given["tags"] = list(draft.tags)
        said = given.get("said")
        if isinstance(said, datetime) and said.tzinfo is not None and abs(now - said) < timedelta(days=1):
            del given["said"]  # the creation date already says so
        properties = {
            **checked({"facet": facet or None, "status": "active", **given, "title": draft.title}),
            "kind": kind.name,
            "id": draft.id or self._clock.new_id(),
            "created": now,
            "updated": now,
        }
        space = self.space_for(draft, kind)
        text = render({name: value for name, value in properties.items() if value not in (None, [])}) + draft.body
        memory = self.as_memory(space, "x.md", text)
        slug = places.check_slug(slug, "slug") if slug else places.slugify(draft.title)
        where = self.place(memory, slug)
        where = places.check_own_path(path) if path else where
        return space, text, places.archive_place(where, now) if memory.status in LEAVING else where

    def free(
        self, space: Space, path: str, taken: Collection[tuple[str, str]] = (), freed: Collection[tuple[str, str]] = ()
    ) -> str:
        """Return `path`, or its first numbered variant at which there is no file.

        Args:
            taken, freed: (space, path) of files that the same operation writes, and of those that it moves away.
        """

        def is_taken(place: str) -> bool:
            key = (space.name, place)
            return key in taken or (key not in freed and files.standing_as(Path(space.root) / place) is not None)

        return next(place for number in itertools.count(1) if not is_taken(place := places.numbered(path, number)))

    def free_of_project(self, space: Space, path: str, project: str) -> str:
        """Return `path`. In a wiki, whose sections all projects share, add a number while another project's page is there.

        Raises:
            AlreadyExists: a page of the same project is there; outside of a wiki: any memory.
        """
        number = 1
        while path.startswith(f"{wiki.FOLDER}/") and (Path(space.root) / (taken := places.numbered(path, number))).exists():
            if self._finder.at(space.name, taken).memory.project == project:
                break
            number += 1
        return self.must_be_free(space, places.numbered(path, number))

    def holds_another(self, space: Space, path: str, title: str) -> bool:
        """Return whether a memory is there whose title differs in signs only, so that both have the same slug."""
        standing = files.standing_as(Path(space.root) / path)
        if standing is None:
            return False
        there = self._finder.at(space.name, standing.relative_to(space.root).as_posix()).memory
        return places.signs_of(there.title) != places.signs_of(title)

    def must_be_free(self, space: Space, path: str) -> str:
        """Return `path`.

        Raises:
            AlreadyExists: there is a memory already.
        """
        standing = files.standing_as(Path(space.root) / path)
        if standing is not None:
            there = standing.relative_to(space.root).as_posix()
            memory = self._finder.at(space.name, there).memory
            raise AlreadyExists(
                f"{there} already holds {memory.title!r}. Nothing was written.", f"To replace it: vade evolve {memory.id}"
            )
        return path

    def followed(self, old: Memory, space: Space, text: str) -> str:
        """Return the path of a memory's file with another text, in this space. A path that the person chose stays."""
        new = self.as_memory(space, old.path, text)
        slug, group = places.stem(old.path), places.said_by_path(old.path)[2] or None
        usual = self.place(old, slug, group) == old.path
        if (old.project, old.agent) != (new.project, new.agent):
            group = None
        if not usual and old.status not in ("inbox", "incubating"):
            return old.path
        path = self.place(new, slug, group)
        return path if path == old.path else self.free(space, path)
