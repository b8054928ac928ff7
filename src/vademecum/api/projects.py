"""Projects: their descriptions and names."""

from vademecum.api.notes import NotesAPI
from vademecum.api.station import Station, use_case
from vademecum.context.context import Context
from vademecum.domain.errors import InvalidInput, NotFound, Refused
from vademecum.domain.memory import BY_PERSON, By, Draft, Memory
from vademecum.domain.query import Scope
from vademecum.inject import code
from vademecum.maintenance import projects as renaming
from vademecum.maintenance.projects import Renamed
from vademecum.write import gate


class ProjectsAPI(Station[Context]):
    """Descriptions and names of projects.

    Args:
        notes: reads and edits memories. project: slug of the current project; "" for none.
    """

    def __init__(self, context: Context, notes: NotesAPI, project: str) -> None:
        super().__init__(context)
        self._notes, self._project = notes, project

    names_code = staticmethod(code.names_code)
    code_since = use_case(code.since_of)
    all = use_case(renaming.projects)

    def show(self, name: str = "") -> Memory:
        """Return the description of a project: its newest memory of the kind "project".

        Args:
            name: of the project; "": that of the working folder.

        Raises:
            NotFound: there is no description. InvalidInput: no project is named, and there is no current one.
        """
        name = self._named(name)
        scope = Scope(sources=("memory",), kinds=("project",), statuses=("active",), projects=(name,))
        own = [item for item in self.context.index.select(scope) if item.project == name and not item.agent]
        if not own:
            raise NotFound(f"No page says yet what {name} is about.", f"Write one with: vade project edit {name} --body TEXT")
        return self._notes.get(own[0].key)

    def edit(self, body: str, name: str = "", *, by: By = BY_PERSON) -> Memory:
        """Replace the description of a project; the former one stays in the history."""
        name = self._named(name)
        try:
            return self._notes.edit(self.show(name).id, body=body, by=by)
        except NotFound:
            kept = gate.keep(self.context, Draft("project", name, body, properties={"project": name}), by=by, unique=True)
        if kept.memory is None:
            raise Refused("The guard refuses this text.")
        return kept.memory

    def rename(self, former: str, name: str, join: bool = False, *, by: By = BY_PERSON) -> Renamed:
        """Rename a project, or merge it into the project of that name. One undo reverts it."""
        return renaming.rename(self.context, former, name, join=join, by=by)

    def _named(self, name: str) -> str:
        if not (name or self._project):
            raise InvalidInput("No project is named, and this folder is in none.", "Name one: vade project show NAME")
        return name or self._project
