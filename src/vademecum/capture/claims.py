"""Claims of deeds ("implemented the retry in queue.py") and what they name that can be looked for (SW-38)."""

import re
from dataclasses import dataclass

#: A deed that leaves something behind in files. What is only wished or decided is no claim.
_DEED = re.compile(
    r"\b(?:implemented|added|created|wrote|written|fixed|refactored|migrated|renamed|removed|deleted|introduced|shipped|merged|deployed"
    r"|implementei|implementado|implementada|adicionei|criei|escrevi|corrigi|implementiert|hinzugefügt|erstellt|geschrieben|behoben"
    r"|implementé|implementad[oa]|añadí|añadid[oa]|creé|corregí)\b|(?:实现|添加|新增|创建|修复|重构|迁移)了",
    re.IGNORECASE,
)
_PATH = re.compile(r"(?<![\w/.])(?:[\w.-]+/)*[\w-]+\.[A-Za-z][A-Za-z0-9]{0,5}\b(?!\()")
_TICKED = re.compile(r"`([^`\n]{2,80})`")
_NAME = re.compile(r"\b(?:[a-z]+(?:_[a-z0-9]+)+|[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]*)+|[a-z]+(?:[A-Z][a-z0-9]+)+)\b")


@dataclass(frozen=True, slots=True)
class Claim:
    """What a claim names: files, and names that stand in code."""

    files: tuple[str, ...]
    names: tuple[str, ...]


def claim_in(text: str) -> Claim | None:
    """What a text claims was done; None when it claims no deed."""
    if not _DEED.search(text):
        return None
    files = tuple(dict.fromkeys(_PATH.findall(text)))
    ticked = [word.rstrip("()") for word in _TICKED.findall(text) if " " not in word]
    names = tuple(dict.fromkeys(word for word in (*ticked, *_NAME.findall(text)) if word not in files))
    return Claim(files, names)
