"""What a model wants said before a question and before a passage. As in the models' own documentation."""

from dataclasses import dataclass
from typing import Literal

BGE = "Represent this sentence for searching relevant passages: "


@dataclass(frozen=True, slots=True)
class Prefixes:
    """Put before each text of a role."""

    query: str = ""
    passage: str = ""

    def before(self, role: Literal["query", "passage"]) -> str:
        """The prefix of a role."""
        return self.query if role == "query" else self.passage


#: The first part of a model's name (without its maker) that matches decides.
FAMILIES = {
    "multilingual-e5-large-instruct": Prefixes("Instruct: Retrieve passages that answer the question\nQuery: "),
    "multilingual-e5": Prefixes("query: ", "passage: "),
    "e5-": Prefixes("query: ", "passage: "),
    "bge-m3": Prefixes(),
    "bge-": Prefixes(BGE),
    "mxbai-embed-large": Prefixes(BGE),
    "snowflake-arctic-embed": Prefixes(BGE),
    "nomic-embed-text": Prefixes("search_query: ", "search_document: "),
}


def for_model(name: str) -> Prefixes:
    """The prefixes of a model by its name, such as "BAAI/bge-large-en-v1.5"; none for one we do not know."""
    short = name.rsplit("/", 1)[-1].lower()
    return next((prefixes for start, prefixes in FAMILIES.items() if short.startswith(start)), Prefixes())
