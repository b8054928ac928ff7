"""What a repository says about its own project, each file one domain of decisions."""

from msgspec import Struct


class ProjectDocument(Struct, frozen=True):
    """A file such as TECH.md of the repository that is worked in.

    Attributes:
        name: of the file. path: absolute. text: its beginning.
    """

    name: str
    path: str
    text: str
