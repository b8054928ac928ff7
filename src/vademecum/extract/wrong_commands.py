"""Find out from a program's output that the command itself was wrong.

A failed test says something about the code; `unknown option` says something about the command, and the same command will fail
again tomorrow. Nearly all programs print English, so the patterns are English.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import chain, islice, takewhile

from msgspec import Struct

from vademecum.domain.call_patterns import arguments, commands_in
from vademecum.extract.numbers import SAYS_MAX_CHARS

#: Messages of a shell or a program about an invalid command. The group `what` is the word that it complains about.
_WHAT = r"[:,]?(?: --)? ?[\"'`‘“]*(?P<what>[\w@.:/+*?\[\]=-]*[\w*?\]])"
_COMPLAINTS = tuple(
    (hints.split("|"), re.compile(text, re.IGNORECASE))
    for hints, text in (
        # The shell finds no such program, may not run it, or cannot parse the line.
        ("command not found", r"command not found: (?P<what>\S+)"),
        ("not found", r"(?:^|[:\s])(?P<what>[\w@./+-]+): (?:command )?not found\b"),
        ("not recognized", r"[\"'`]?(?P<what>[\w@./\\+-]+)[\"'`]? is not recognized as (?:an internal|the name|a name)"),
        (
            "no such file|permission denied|cannot execute|is a directory",
            r"(?:^|[:\s])(?P<what>[\w@./+-]+): (?:no such file or directory|permission denied|cannot execute|is a directory)",
        ),
        ("no such file", r"no such file or directory: (?P<what>\S+)"),
        ("no matches found", r"no matches found: (?P<what>\S+)"),
        # A program has no such command, option, script or module.
        (
            "unknown|unrecogni|illegal|invalid|unexpected|unsupported|undefined|no such|bad ",
            r"(?:unknown|unrecogni[sz]ed|illegal|invalid|unexpected|unsupported|undefined|no such|bad)"
            r" (?:(?:shorthand|long|command[ -]line) )?(?:sub-?command|command|option|flag|argument|switch|task|target|script|recipe"
            r"|skill|tool|predicate|primary|json field)s?(?: name| available)?\b" + _WHAT,
        ),
        (
            "is not a",
            r"[\"'`](?P<what>[\w:.-]+)[\"'`] is not an? (?:[\w.-]+ ){0,2}(?:command|subcommand|option|script|task)\b",
        ),
        (
            "missing script|script not found|no script|a script named|task not found|no rule to",
            r"(?:missing script|script not found|no script (?:named|found)|couldn't find a script named|task not found"
            r"|no rule to make target)" + _WHAT,
        ),
        (
            "unknown|unrecogni|illegal|invalid",
            r"(?P<what>[\w:.-]+): (?:unknown|unrecogni[sz]ed|illegal|invalid) (?:option|command)\b",
        ),
        ("no module named", r"no module named [\"']?(?P<what>[\w.]+)"),
    )
)
#: Complaints that name no word.
_PLAIN_HINTS = (
    "usage:|syntax error near|parse error near|unexpected|unmatched|require|missing|too many|too few|accepts |could not determine"
    "|cannot be used|mutually exclusive|event not found|bad substitution"
).split("|")
_PLAIN_COMPLAINTS = re.compile(
    r"^usage:|syntax error near|parse error near|unexpected (?:eof|end of file|token)|unmatched [\"'`({]"
    r"|\brequires? (?:an? |at least )?(?:\w+ )?(?:argument|option|flag|value)|missing (?:required |a )?(?:argument|operand|option|flag)"
    r"|too (?:many|few) arguments|accepts (?:at most |at least )?\d+ arg|could not determine executable to run"
    r"|cannot be used (?:with|together)|mutually exclusive|event not found|bad substitution",
    re.IGNORECASE,
)
#: Every line that matches a pattern above contains one of these, in lower case. Searching for a string is much faster than for
#: a pattern.
_HINTS = tuple(dict.fromkeys((*(hint for hints, _ in _COMPLAINTS for hint in hints), *_PLAIN_HINTS)))
#: Messages of a tool that does not accept one of its arguments.
_WRONG_ARGUMENT = re.compile(
    r"(?:unknown|unsupported|unrecogni[sz]ed|invalid|illegal|not supported|no such)"
    r"[^\"'`\n]{0,40}[\"'`](?P<before>[A-Za-z][\w.-]{2,40})[\"'`]"
    r"|(?:does not|doesn't|do not|cannot) support (?:the )?[\"'`]?(?P<bare>[A-Za-z][\w.-]{3,40})"
    r"|[\"'`](?P<behind>[A-Za-z][\w.-]{2,40})[\"'`][^\"'`\n]{0,40}(?:not supported|unsupported|unknown|invalid|does not exist)",
    re.IGNORECASE,
)
#: Lines that report an error.
_REPORTS_ERROR = re.compile(
    r"\b(?:error|fatal|failed|failure|not found|no such|denied|cannot|can't|could not|couldn't|unable|refused|rejected|invalid|unknown"
    r"|unrecogni[sz]ed|illegal|missing|timed out|no matches|npm err!)",
    re.IGNORECASE,
)
_BEGINS_WITH_ERROR = re.compile(r"^(?:[\w./-]+: ){0,2}(?:npm )?(?:error|fatal|failed|err!)", re.IGNORECASE)
#: Lines that a host adds around the output, and marks at the beginning of a line.
_AROUND = re.compile(
    r"^(?:chunk id:.*|wall time:.*|process exited with code.*|exit code:? ?\d+|original token count:.*|output:|command failed with.*)$",
    re.IGNORECASE,
)
_MARKS = re.compile(
    r"^(?:</?tool_use_error>|\[\{\"type\": ?\"text\", ?\"text\": ?\"|\x1b\[[\d;]*m|[✗✖×❌>\s]|error:\s*(?=error:))+"
    r"|</tool_use_error>$|\"\}\]$",
    re.IGNORECASE,
)
#: How the output of a program begins when the program failed.
_BEGIN_OF_FAILURE = {"git": "fatal: ", "npm": "npm err!", "gh": "gh: ", "docker": "docker: "}
#: Signs that a command line's exit code may not be that of each of its commands.
_HIDES_EXIT = re.compile(r"\||;|&(?!&)|\n")
#: Programs that change only where and how other commands run.
_AROUND_COMMANDS = frozenset(
    {"cd", "echo", "printf", "export", "set", "source", ".", "true", "sleep", "pushd", "popd", "unset", "wait", "fi", "done"}
)
#: Programs whose arguments are values, not subcommands.
_OF_VALUES = frozenset(
    "awk bash cat chmod chown cp curl cut date diff du egrep fd fgrep find grep head jq kill less ln ls mkdir mv node od open perl"
    " pgrep pkill ps python python3 rg rm ruby scp sed seq sh sort ssh stat tail tar tee test time touch tr tree uniq unzip wc wget"
    " which xargs zip zsh [".split()
)
#: Programs that run a script: the script is what matters.
_INTERPRETERS = frozenset({"python", "python3", "node", "ruby", "perl", "bash", "sh", "zsh", "deno", "tsx"})
#: Subcommands that are followed by the subcommand that matters.
_GROUPS = frozenset(
    "run exec compose container image network volume pr issue repo release workflow auth project gist label secret variable cache api-key"
    " remote stash worktree submodule bisect config tool pip env package mcp plugin plugins".split()
)
#: Programs that download another program and run it.
_FETCHING = frozenset({"npx", "bunx", "uvx", "pipx", "pnpx"})
_PROGRAM = re.compile(r"[\w.@]")
_SUBCOMMAND = re.compile(r"[a-z][a-z0-9:_-]*")
_NUMBERS = re.compile(r"[0-9a-f]{7,}|\d+|/[^\s:'\"]+|[\"'`][^\"'`]*[\"'`]")

#: Commands that fail in normal work: they search, ask a server, or check, build and test the code.
_SEARCHES = frozenset("grep egrep fgrep rg ag diff cmp test [ find fd ls stat which pgrep pkill kill curl wget ping nc".split())
_REPOSITORIES = frozenset({"git", "hg", "jj", "svn"})
_CHECKERS = re.compile(
    r"(?:py)?test(?:s|ing)?|unittest|tox|nox|jest|vitest|mocha|ava|rspec|phpunit|playwright|cypress|e2e|eslint|lint(?:er)?|biome|prettier"
    r"|ruff|flake8|black|format|fmt|tsc|mypy|pyright|type-?check|check|clippy|vet|build|compile|javac|gcc|g\+\+|clang|make|cmake|ninja"
    r"|cargo|gradlew?|mvn|webpack|vite|rollup|tsup|esbuild|verify|ci|validate|coverage|bench",
)


class Fault(Struct, frozen=True):
    """What is wrong with a command line.

    Attributes:
        command: words of the simple command with the mistake.
        key: words that identify the mistake: the program, and the subcommands and the option that it complains about.
        says: the line of the output that reports it.
    """

    command: tuple[str, ...]
    key: tuple[str, ...]
    says: str


def fault_in(line: str, answer: str) -> Fault | None:
    """Return the mistake in a command line that its output reports; None when it reports none."""
    lines = _hinting_lines(answer)
    commands = real_commands(line) if lines else []
    words = {word.strip("-./") for command in commands for word in command} - {""}
    for entry in lines:
        for match in _complaints_in(entry) if any(word in entry for word in words) else ():
            if named := _named(commands, match["what"]):
                return Fault(tuple(named[0]), named[1], entry)
    for entry in filter(_complains, lines if commands else ()):
        command = command_behind(commands, entry)
        if command and not is_of_work(command) and len(key := key_of(command)) > 1:
            return Fault(tuple(command), key, entry)
    return None


class ShellMistake(Struct, frozen=True):
    """A way of writing that a shell misreads, whatever the program.

    Attributes:
        says: pattern of the shell's error message.
        pattern: regular expression that finds this writing in a command line.
        name: name of the mistake, to begin a sentence with.
        advice: what to do instead.
    """

    says: re.Pattern[str]
    pattern: str
    name: str
    advice: str


#: Matches the beginning of a line up to a position outside quotation marks.
_UNQUOTED = r"""^(?:[^'"\\\n]|\\.|'[^']*'|"(?:\\.|[^"\\])*")*?"""
_SHELL_MISTAKES = (
    ShellMistake(
        re.compile(r"no matches found: \S*[?\[]"),
        _UNQUOTED + r"""\s[^\s'"$(){};|&<>]*[\w/=.:-][?\[][^\s'"]""",
        "An unquoted `?` or `[`",
        "The shell expands it to file names: put the URL or path in single quotes.",
    ),
    ShellMistake(
        re.compile(
            r"unmatched [`\"']|command not found|: not found$|parse error near|unexpected eof|bad substitution", re.IGNORECASE
        ),
        r'"[^"`\n]*(?<!\\)`[^"\n]*"',
        "A backtick inside double quotes",
        "The shell runs what backticks hold: put the text in single quotes.",
    ),
    ShellMistake(
        re.compile(r"event not found"),
        r'"[^"\n]*![\w-]',
        "A `!` inside double quotes",
        "The shell takes it for its history: put the text in single quotes.",
    ),
)


def shell_mistake(line: str, says: str) -> ShellMistake | None:
    """Return the mistake in a command line that explains the shell's message; None for none."""
    shell_mistakes = (mistake for mistake in _SHELL_MISTAKES if mistake.says.search(says) and re.search(mistake.pattern, line))
    return next(shell_mistakes, None)


def argument_in(given: str, says: str) -> str:
    """Return the word of a tool's arguments that its output calls unknown or unsupported; "" for none."""
    match = _WRONG_ARGUMENT.search(says)
    word = (match["before"] or match["bare"] or match["behind"]) if match else ""
    return word if word and re.search(rf"(?<!\w){re.escape(word)}(?!\w)", given) else ""


def is_plain_failure(line: str, answer: str) -> bool:
    """Return whether the output reports a failure that the exit code hides, because a pipe or another command follows."""
    if _HIDES_EXIT.search(line) is None:
        return False
    if fault_in(line, answer) is not None:
        return True
    first = next(output_lines(answer), "").lower()
    program = next((name for name, begin in _BEGIN_OF_FAILURE.items() if first.startswith(begin)), "")
    return program != "" and any(command[0] == program for command in real_commands(line))


def is_refusing(given: str, answer: str) -> bool:
    """Return whether a tool's output is an error: it begins like one, or is one line that rejects a word of the arguments."""
    first, *more = [*islice(output_lines(answer), 2)] or [""]
    return _BEGINS_WITH_ERROR.match(first) is not None or (not more and argument_in(given, first) != "")


def informative_line(line: str, answer: str) -> str:
    """Return the most informative line of a failed call's output; "" for none.

    Args:
        line: the command line; "" if the call is not a command.
    """
    if line and (fault := fault_in(line, answer)) is not None:
        return fault.says
    lines = list(output_lines(answer))
    begins, reporting = filter(_BEGINS_WITH_ERROR.match, lines), filter(_REPORTS_ERROR.search, lines)
    return next(chain(filter(_complains, _hinting_lines(answer)), begins, reporting, lines[-1:]), "")


def output_lines(answer: str) -> Iterator[str]:
    """Yield the lines that the program itself wrote, each cut to SAYS_MAX_CHARS, without lines that a host adds."""
    for line in answer.splitlines():
        text = " ".join(_MARKS.sub("", line.strip()).split())
        if text and not _AROUND.match(text):
            yield text[:SAYS_MAX_CHARS]


def real_commands(line: str) -> list[list[str]]:
    """Return the simple commands of a line that do something."""
    return [words for words in commands_in(line) if words[0] not in _AROUND_COMMANDS and _PROGRAM.match(words[0])]


def is_of_work(words: Sequence[str]) -> bool:
    """Return whether failures of a command are normal work: a check, a build, a search, or a version control command."""
    return (
        words[0] in _SEARCHES
        or words[0] in _REPOSITORIES
        or any(_CHECKERS.fullmatch(part) for word in words[:4] for part in re.split(r"[:./_-]", word))
    )


def same_error(says: str) -> str:
    """Return a line with numbers, paths and quoted names masked, so that equal errors read the same."""
    return " ".join(_NUMBERS.sub("*", says.lower()).split())


def key_of(words: Sequence[str]) -> tuple[str, ...]:
    """Return a command's program and subcommands, without options, paths and values."""
    program = words[0]
    if program in _INTERPRETERS:
        return (program, *(word for word in words[1:2] if not word.startswith("-")))
    if program in _OF_VALUES:
        return (program,)
    plain = arguments(list(words))
    fetched, plain = (plain[:1], plain[1:]) if program in _FETCHING else ([], plain)
    asked = list(takewhile(_SUBCOMMAND.fullmatch, plain))
    return (program, *fetched, *asked[: 2 if asked and asked[0] in _GROUPS else 1])


def _hinting_lines(answer: str) -> list[str]:
    """Return the lines that may contain a complaint. Fast, because it runs on every output and most contain none."""
    low = answer.lower()
    if len(low) != len(answer):  # lower case changed the length, so positions in `low` would not fit `answer`
        answer = low
    starts = set[int]()
    for hint in _HINTS:
        place = low.find(hint)
        while place >= 0:
            starts.add(low.rfind("\n", 0, place) + 1)
            end = low.find("\n", place)
            place = low.find(hint, end) if end >= 0 else -1
    return [entry for start in sorted(starts) for entry in output_lines(answer[start:].partition("\n")[0])]


def _complains(entry: str) -> bool:
    return _complains_plainly(entry) or next(_complaints_in(entry), None) is not None


def _complains_plainly(entry: str) -> bool:
    low = entry.lower()
    return any(hint in low for hint in _PLAIN_HINTS) and _PLAIN_COMPLAINTS.search(entry) is not None


def _complaints_in(entry: str) -> Iterator[re.Match[str]]:
    """Yield the matches of complaints that name a word."""
    low = entry.lower()
    for hints, pattern in _COMPLAINTS:
        if any(hint in low for hint in hints) and (match := pattern.search(entry)):
            yield match


def _named(commands: Sequence[list[str]], what: str) -> tuple[list[str], tuple[str, ...]] | None:
    """Return the command that contains the word of a complaint, and its key with that word; None for none."""
    bare = what.strip("\"'`‘’“”.,:").replace("\\", "/")
    for words in commands:
        if words[0] in (bare, bare.rpartition("/")[2]):
            return words, (words[0],)
        for place, word in enumerate(words[1:], 1):
            if word.startswith("-") and _is_option(word, bare):
                option = word.partition("=")[0] if len(bare.strip("-")) > 1 else f"-{bare.strip('-')}"
                before = [] if words[0] in _OF_VALUES else [entry for entry in key_of(words)[1:] if entry in words[1:place]]
                return words, (words[0], *before, option)
            if word == bare and words[place - 1] == "-m" and words[0] in _INTERPRETERS:
                return words, (words[0], "-m", word)
            if word == bare and words[0] not in _OF_VALUES:
                if _SUBCOMMAND.fullmatch(word):
                    return words, (words[0], *(argument for argument in arguments(words[:place])), word)
                return (words, key_of(words)) if len(key_of(words)) > 1 else None
    return None


def _is_option(word: str, bare: str) -> bool:
    """Return whether a word of a command is the option that a message names, with or without dashes."""
    name, text = word.partition("=")[0], bare.partition("=")[0]
    if name == text or name.lstrip("-") == text.lstrip("-"):
        return True
    letters = text.lstrip("-")
    return len(letters) == 1 and not word.startswith("--") and letters in word[1:]


def command_behind(commands: Sequence[list[str]], message: str) -> list[str] | None:
    """Return the command that a message comes from: the only one, or one whose program the message names; None when unclear."""
    # Programs in `_OF_VALUES` name themselves in their messages, so others are considered first.
    likely = [words for words in commands if words[0] not in _OF_VALUES] or list(commands)
    if (
        likely
        and len({key_of(words) for words in likely}) == 1
        and not any(message.startswith(f"{words[0]}: ") for words in commands)
    ):
        return likely[0]
    return next((words for words in commands if re.search(rf"(?<![\w-]){re.escape(words[0])}(?![\w-])", message)), None)


def has_no_such(tool: str, says: str) -> bool:
    """Return whether a line says that the called tool or skill does not exist."""
    return _complains(says) and re.search(rf"\b{tool}\b", says, re.IGNORECASE) is not None
