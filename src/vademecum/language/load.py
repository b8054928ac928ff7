"""Load the language data from `data/<language>/*.toml`: a new folder adds a language, without Python code.

A file holds `[[tables]]` of rows, `[signs]` (words or regular expressions that are matched together, in any language), and
`[parts]`, which are inserted in its regular expressions for `{name}`. The folder `any` holds language-independent data; there `{name}`
stands for the parts of that name of all languages. docs/languages.md describes the files. Each file is read at first use.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from msgspec import Struct

from vademecum.domain.errors import VademecumError
from vademecum.domain.late_pattern import late_pattern

DATA = Path(__file__).parent / "data"
#: The folder of language-independent data.
ANY = "any"

_PART = late_pattern(r"\{([a-z_]+)\}")
#: How the entries of a sign are matched: key in the file -> (prefix, suffix) of the pattern.
_FORMS: Mapping[str, tuple[str, str]] = {
    "start": (r"^(?:", r")\b"),
    "words": (r"\b(?:", r")\b"),
    "begins": (r"\b(?:", r")"),
    "pattern": ("", ""),
}

Row = TypeVar("Row")
#: (language, file) -> its content, as JSON-like data.
_NOTHING_READ: Mapping[tuple[str, str], Mapping[str, Any]] = {}


class LanguageFault(VademecumError):
    """A language file is invalid. The message names the file, the row and the error."""

    code = "language"


class Traits(Struct, frozen=True):
    """Basic properties of a language.

    Attributes:
        name: in English. order: position among the languages, in which their rows are tried.
        spaced: words are separated by spaces.
    """

    name: str
    order: int
    spaced: bool = True


class Languages:
    """The languages of a folder.

    Attributes:
        codes: names of their folders, ordered by their traits.
    """

    def __init__(self, folder: Path = DATA, read: Mapping[tuple[str, str], Mapping[str, Any]] = _NOTHING_READ) -> None:
        self._folder = folder
        self._files: dict[tuple[str, str], Mapping[str, Any]] = dict(read)
        self._signs: dict[tuple[str, str, tuple[str, ...]], re.Pattern[str]] = {}
        self._words: dict[tuple[str, str], frozenset[str]] = {}
        texts = sorted(path.name for path in folder.iterdir() if path.is_dir() and path.name != ANY)
        self._traits = {code: self._build(code, "language", "", Traits, self._read(code, "language")) for code in texts}
        self.codes = tuple(sorted(texts, key=lambda code: (self._traits[code].order, code)))

    def traits(self, code: str) -> Traits:
        """Return the basic properties of a language."""
        return self._traits[code]

    def said(self, code: str, file: str) -> Mapping[str, Any]:
        """Return the content of a language's file; empty if there is none."""
        return self._read(code, file)

    def rows(self, file: str, table: str, make: Callable[..., Row]) -> tuple[Row, ...]:
        """Return the rows of `[[table]]` of all languages, language-independent ones first.

        Args:
            make: called with the fields of a row by name, and `language`.

        Raises:
            LanguageFault: a row has a missing, unknown or invalid field.
        """
        return tuple(
            self._build(code, file, f"[[{table}]] {number}: ", make, {"language": code, **row})
            for code in (ANY, *self.codes)
            for number, row in enumerate(self._read(code, file).get(table, ()), 1)
        )

    def tables(self, file: str, table: str) -> dict[str, Mapping[str, Any]]:
        """Return language -> the fields of its `[table]`, for languages that have it."""
        by_key = {code: self._read(code, file).get(table) for code in (ANY, *self.codes)}
        return {code: self.filled(code, file, fields) for code, fields in by_key.items() if fields}

    def listed(self, file: str, sign: str) -> tuple[str, ...]:
        """Return the words under that name in all languages, in order, without duplicates."""
        words = (self.filled(code, file, self._read(code, file).get(sign, {}).get("words", [])) for code in (*self.codes, ANY))
        return tuple(dict.fromkeys(word for some in words for word in some))

    def own(self, code: str, file: str, sign: str) -> frozenset[str]:
        """Return the words under that name in one language; empty if it has no such table."""
        return frozenset(self.filled(code, file, self._read(code, file).get(sign, {}).get("words", [])))

    def words(self, file: str, sign: str) -> frozenset[str]:
        """Return :meth:`listed` as a cached set."""
        if (file, sign) not in self._words:
            self._words[file, sign] = frozenset(self.listed(file, sign))
        return self._words[file, sign]

    def sign(self, file: str, sign: str, flags: int = re.IGNORECASE) -> re.Pattern[str]:
        """Return one cached regular expression for everything under that name in all languages.

        Raises:
            LanguageFault: no language has it, or an entry is no valid regular expression.
        """
        return self._sign(file, sign, (*self.codes, ANY), flags)

    def sign_in(self, code: str, file: str, sign: str) -> re.Pattern[str]:
        """Return the same for one language and the language-independent data."""
        return self._sign(file, sign, (code, ANY), re.IGNORECASE)

    def _sign(self, file: str, sign: str, codes: tuple[str, ...], flags: int) -> re.Pattern[str]:
        if (file, sign, codes) not in self._signs:
            ways = [(code, way) for code in codes for way in self._ways(code, file, sign)]
            if not ways:
                raise LanguageFault(f"{self._folder}: none of {', '.join(codes)} has [{sign}] in {file}.toml.")
            try:
                self._signs[file, sign, codes] = re.compile("|".join(way for _, way in ways), flags)
            except re.error:
                for code, way in ways:
                    self._check(code, file, f"[{sign}]: ", way)
                raise
        return self._signs[file, sign, codes]

    def _ways(self, code: str, file: str, sign: str) -> Iterator[str]:
        """Yield the entries under that name in one language, as regular expressions."""
        for form, entries in self._read(code, file).get(sign, {}).items():
            if form not in _FORMS:
                raise self._fault(code, file, f"[{sign}] {form}: it must be one of {', '.join(_FORMS)}")
            before, behind = _FORMS[form]
            yield before + "|".join(self.filled(code, file, entries)) + behind

    def filled(self, code: str, file: str, value: Any) -> Any:
        """Return a value of a file with its parts inserted; lists become tuples."""
        if isinstance(value, str):
            return _PART.sub(lambda name: self._part(code, file, name[1]), value)
        if isinstance(value, Mapping):
            return {key: self.filled(code, file, entry) for key, entry in value.items()}
        return tuple(self.filled(code, file, entry) for entry in value) if isinstance(value, list) else value

    def _part(self, code: str, file: str, name: str) -> str:
        for owner, where in ((code, file), (ANY, file), (ANY, "parts")):
            if (value := self._read(owner, where).get("parts", {}).get(name)) is not None:
                return self._alternatives(owner, where, value)
        of_languages = [
            self._alternatives(owner, file, value)
            for owner in (self.codes if code == ANY else ())
            if (value := self._read(owner, file).get("parts", {}).get(name)) is not None
        ]
        if not of_languages:
            raise self._fault(code, file, f"there is no part {{{name}}}")
        return "|".join(of_languages)

    def _alternatives(self, code: str, file: str, value: str | Sequence[str]) -> str:
        return str(self.filled(code, file, value if isinstance(value, str) else "|".join(value)))

    def _build(self, code: str, file: str, where: str, make: Callable[..., Row], fields: Mapping[str, Any]) -> Row:
        try:
            return make(**self.filled(code, file, fields))
        except (TypeError, ValueError, re.error) as error:
            raise self._fault(code, file, f"{where}{error}") from error

    def _check(self, code: str, file: str, where: str, way: str) -> None:
        try:
            re.compile(way)
        except re.error as error:
            raise self._fault(code, file, f"{where}{error}") from error

    def _read(self, code: str, file: str) -> Mapping[str, Any]:
        """Return the content of a file; empty if the language has none."""
        if (code, file) not in self._files:
            self._files[code, file] = self._parsed(code, file)
        return self._files[code, file]

    def _parsed(self, code: str, file: str) -> Mapping[str, Any]:
        import tomllib  # noqa: PLC0415 -- a hook without a helper takes what was read before

        path = self._folder / code / f"{file}.toml"
        try:
            said: Mapping[str, Any] = tomllib.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise self._fault(code, file, str(error)) from error
        return said

    def _fault(self, code: str, file: str, reason: str) -> LanguageFault:
        return LanguageFault(f"{self._folder / code / file}.toml: {reason}.", "Correct the file; docs/languages.md says how.")


@cache
def languages() -> Languages:
    """Return the languages of the package."""
    return Languages(DATA, _read_before)


#: File contents given to :func:`take_read`.
_read_before: dict[tuple[str, str], Mapping[str, Any]] = {}
#: Files needed to answer a prompt by words alone.
_OF_PROMPTS = ("language", "questions", "stop_words")


def read_for_prompts() -> dict[str, tuple[str, Mapping[str, Any]]]:
    """Return "language/file" -> (stamp of the file, content) for the files needed to answer a prompt by words alone.

    They are cached because parsing TOML takes a tenth of the time of such a prompt.
    """
    known = languages()
    return {
        f"{code}/{file}": (_stamp(code, file), known.said(code, file)) for code in (ANY, *known.codes) for file in _OF_PROMPTS
    }


def take_read(read: Mapping[str, tuple[str, Mapping[str, Any]]]) -> None:
    """Use the cached result of :func:`read_for_prompts` for files that have not changed. Call it before :func:`languages`."""
    for name, (stamp, said) in read.items():
        code, _, file = name.partition("/")
        if _stamp(code, file) == stamp:
            _read_before[code, file] = said


def _stamp(code: str, file: str) -> str:
    try:
        stat = (DATA / code / f"{file}.toml").stat()
    except OSError:
        return ""
    return f"{stat.st_size}.{stat.st_mtime_ns}"
