"""Documents of a repository about its own project; each covers one area of decisions."""

from msgspec import Struct


class ProjectDocument(Struct, frozen=True):
    """A file such as TECH.md of the repository in which the session works.

    Attributes:
        name: of the file. path: absolute. text: its beginning.
    """

    name: str
    path: str
    text: str
