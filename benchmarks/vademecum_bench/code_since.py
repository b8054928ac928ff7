"""Measure how often memories about code are marked as outdated, and whether rightly, on documents of real repositories.

A paragraph of a document at some commit is treated as a memory of that day and checked against the newest commit. If the
document still contains it word for word, its authors consider it true; so a mark is a false positive, or a mistake of theirs,
and is printed for reading.
"""

import random
import re
import statistics
import subprocess
import time
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import click

from vademecum.adapters.repositories.git import GitHistory
from vademecum.domain.item import Item
from vademecum.extract.claims import named_in
from vademecum.inject.code import since

#: Commits from which paragraphs are taken, evenly over the history, and paragraphs drawn from each that name code.
COMMITS, PARAGRAPHS = 4, 50
_DOCUMENTS = ("*.md", "*.rst", "*.txt")
#: Names of documents about the past, which stay true whatever happens to the code.
_OF_THE_PAST = re.compile(r"change|history|news|release|authors", re.IGNORECASE)
_SORTS = {
    " is gone": "gone",
    " moved to ": "moved",
    " was rewritten": "rewritten",
    "in the code": "name",
    "no branch": "commit",
}


def _said(folder: Path, *words: str) -> str:
    done = subprocess.run(["git", "-C", str(folder), *words], capture_output=True, check=True)
    return done.stdout.decode("utf-8", "replace")


def paragraphs(folder: Path, commit: str) -> list[str]:
    """Return the paragraphs of the documents at a commit, without those about the past."""
    names = _said(folder, "ls-tree", "-r", "--name-only", commit).splitlines()
    documents = [name for name in names if any(Path(name).match(one) for one in _DOCUMENTS) and not _OF_THE_PAST.search(name)]
    texts = (_said(folder, "show", f"{commit}:{name}") for name in documents)
    return [" ".join(part.split()) for text in texts for part in text.split("\n\n") if part.strip()]


@click.command("code-since")
@click.option("--every", is_flag=True, help="Print every mark.")
@click.argument("repositories", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
def code_since(repositories: tuple[Path, ...], every: bool) -> None:
    """Check paragraphs of old documents in git repositories against the newest commits."""
    for folder in repositories:
        _measured(folder, every)


def _measured(folder: Path, every: bool) -> None:
    commits = _said(folder, "log", "--first-parent", "--format=%H %ct").splitlines()
    standing = set(paragraphs(folder, "HEAD"))
    counted, took, false = Counter[str](), list[float](), list[str]()
    code = GitHistory(folder, lambda: 10.0)
    for line in commits[:: -(-len(commits) // COMMITS)][1:]:
        commit, _, moment = line.partition(" ")
        day = datetime.fromtimestamp(int(moment), UTC)
        item = Item(
            "memory://A", "memory", "personal", "a.md", "A", stat="", digest="", kind="lesson", status="active", updated=day
        )
        naming = [text for text in paragraphs(folder, commit) if named_in(text)]
        for text in random.Random(0).sample(naming, min(PARAGRAPHS, len(naming))):
            counted["paragraphs that name something"] += 1
            start = time.perf_counter()
            mark = since(code, item, text)
            took.append(time.perf_counter() - start)
            if mark:
                counted["marked"] += 1
                counted.update(sort for words, sort in _SORTS.items() if words in mark)
                click.echo(f"   {mark}  <-  {text[:220]}") if every else None
                if text in standing:
                    counted["marked, and the document still says so"] += 1
                    false.append(f"{mark}  <-  {text[:160]}")
    click.echo(f"{folder}: {dict(counted)}; ms a paragraph: median {statistics.median(took) * 1e3:.2f}, mean "
               f"{statistics.fmean(took) * 1e3:.2f}, most {max(took) * 1e3:.0f}")  # fmt: skip
    for one in dict.fromkeys(false):
        click.echo(f"   {one}")
