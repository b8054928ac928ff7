"""Patterns of tool calls at which a rule is shown, and their matching.

A pattern is a line of text that a person can read and write:

    run: git push --force       a command: its program, the following words in this order, its options anywhere
    run: /gh api \\S*\\?/         a regular expression, searched in the whole command line
    edit: docs/*.md             a file that is written: a glob over the path, or over its last parts
    edit: /migrations.*DROP/    a regular expression, searched in the path, a newline and the text that is written
    web: example.com            an address that is fetched, or words of a search
    mcp: github create_issue    a tool of an MCP server, by words of its name
    skill: review               a skill that is called

The hook client runs a copy of this file without the rest of the package. So it imports only the standard library, and `re` and
`json` only where they are needed: an interpreter that starts at every tool call must be quick.
"""

TOOLS = ("run", "edit", "web", "mcp", "skill")

#: Most characters of a command, or of the text of a change, that are examined.
LOOKED_AT = 20_000
#: Minimum length of a literal that is used to prefilter calls.
_LITERAL_MIN = 2
_OPERATORS = frozenset(";|&\n()`")
#: Options whose value is the following word, which is therefore no argument of the command.
_WITH_VALUE = frozenset(
    "-C -c --git-dir --work-tree --prefix --cwd --filter --context --namespace --project --workspace --kubeconfig --profile".split()
)
#: Further such options, each after its program, because others give the same letter no value.
_WITH_VALUE_OF = frozenset({"npm -w", "pnpm -F", "kubectl -n", "oc -n", "helm -n"})
#: Long forms of short options, by the program or its subcommand, for what people forbid most (git-push(1), git-commit(1), rm(1); npm and
#: pnpm: "config", shorthands), and the letters whose value follows in the same word.
_LONG_OPTIONS: "dict[str, tuple[dict[str, str], str]]" = {
    "git push": ({"f": "--force"}, "o"),
    "git commit": ({"n": "--no-verify"}, "mFCctSu"),
    "rm": ({"f": "--force", "r": "--recursive", "R": "--recursive"}, ""),
    "npm": ({"g": "--global"}, ""),
    "pnpm": ({"g": "--global"}, ""),
}
#: Shell words before a command.
_SHELL_WORDS = frozenset({"if", "elif", "while", "until", "then", "do", "else", "!", "{"})
#: Programs that run another program: the letters of their options that have a value.
_RUNNERS = {
    "sudo": "ughpCDRTU",
    "doas": "uC",
    "env": "uC",
    "time": "fo",
    "nohup": "",
    "exec": "a",
    "nice": "n",
    "ionice": "cn",
    "stdbuf": "ioe",
    "setsid": "",
    "timeout": "sk",
    "xargs": "nIPLdsaE",
    "command": "",
}
#: Shells, which run the text after an option such as -c or -lc.
_SHELLS = frozenset({"sh", "bash", "zsh", "dash", "ksh", "fish"})
#: Names of a tool input's fields in the various hosts, by their content.
_COMMANDS = ("command", "cmd", "CommandLine", "script")
_PATHS = ("file_path", "filePath", "path", "notebook_path", "target_file", "TargetFile")
_CHANGES = ("new_string", "newString", "new_str", "content", "file_text", "new_source", "patch", "diff", "input", "edits")
_SKILLS = ("skill", "command", "name")
_ADDRESSES = ("url", "query", "prompt")
_PATCHED = ("*** Update File: ", "*** Add File: ", "*** Delete File: ", "*** Move to: ")
_READING = (
    "read",
    "grep",
    "glob",
    "list",
    "view",
    "search",
    "find",
    "fetch_",
    "todo",
    "task",
    "agent",
    "skill",
    "ls",
    "notebookread",
    "plan",
    "ask",
    "question",
    "user_input",
    "stdin",
)
_WRITING = ("edit", "write", "create", "patch", "replace", "insert", "delete", "move", "notebook")


def is_pattern(line: str) -> bool:
    """Return whether :func:`parsed` reads a line."""
    try:
        parsed(line)
    except ValueError:
        return False
    return True


def parsed(line: str) -> "tuple[str, str]":
    """Return the tool and the pattern of a line.

    Raises:
        ValueError: the line is no valid pattern; the message says what is wrong and gives an example.
    """
    tool, colon, pattern = line.strip().partition(":")
    tool, pattern = tool.strip().lower(), pattern.strip()
    if not colon or tool not in TOOLS or not pattern:
        raise ValueError(f"{line!r} is no pattern. Write for example: run: git push --force, or edit: docs/*.md")
    if is_regex(pattern):
        import re

        try:
            re.compile(pattern[1:-1])
        except re.error as error:
            raise ValueError(f"{line!r} is no regular expression: {error}") from error
    elif tool == "run" and not words_of(pattern):
        raise ValueError(f"{line!r} names no program.")
    return tool, pattern


def is_regex(pattern: str) -> bool:
    """Return whether a pattern is a regular expression between slashes.

    A path such as /etc/ is one too; write /etc/* instead.
    """
    return len(pattern) > 2 and pattern.startswith("/") and pattern.endswith("/")


def fits(tool: str, pattern: str, call: "tuple[str, str, str]") -> bool:
    """Return whether a call matches a pattern.

    Args:
        call: (tool; target: the command line, path, address or tool name; the text that is written or sent).
    """
    called, target, change = call
    if called != tool:
        return False
    if is_regex(pattern):
        import re

        return re.search(pattern[1:-1], f"{target}\n{change}" if change else target) is not None
    if tool == "run":
        wanted = words_of(pattern)
        return any(_runs_one(wanted, forms) for forms in _commands(target))
    if tool == "edit":
        return any(_is_path(pattern, path) for path in target.split("\n"))
    if tool == "skill":
        return _is_word(pattern, target)
    held = f"{target} {change}".lower()
    return all(word in held for word in pattern.lower().split())


def obeys(unless: "tuple[str, ...] | list[str]", call: "tuple[str, str, str]") -> bool:
    """Return whether a call contains one of the texts, or regular expressions between slashes, that show it already obeys a
    rule.

    Raises:
        ValueError: one of them is an invalid regular expression.
    """
    held = f"{call[1]}\n{call[2]}"
    for text in unless:
        if not is_regex(text):
            if text in held:
                return True
            continue
        import re

        try:
            if re.search(text[1:-1], held):
                return True
        except re.error as error:
            raise ValueError(f"{text!r} is no regular expression: {error}") from error
    return False


def literal(pattern: str) -> str:
    """Return a text that every matching call contains, only ASCII letters, digits, "_" and "."; "" if none is certain."""
    if is_regex(pattern):
        return distinctive(pattern)
    return distinctive(" ".join(word for word in pattern.split() if not word.startswith("-")))  # an option has several forms


def distinctive(pattern: str) -> str:
    """Return the longest text of a pattern of only ASCII letters, digits, "_" and "."; "" if it is short."""
    runs, run = [], ""
    for sign in _certain(pattern[1:-1]) if is_regex(pattern) else pattern:
        if sign.isascii() and (sign.isalnum() or sign in "_."):
            run += sign
        else:
            runs.append(run)
            run = ""
    longest = max([*runs, run], key=len)
    return longest if len(longest) >= _LITERAL_MIN else ""


def _certain(regex: str) -> str:
    """Return the literal parts of a regular expression that every match contains, separated by spaces."""
    if "|" in regex or "(?" in regex:
        return ""
    kept: list[str] = []
    place, depth = 0, 0
    while place < len(regex):
        sign = regex[place]
        if sign == "\\":
            sign, place = (" " if regex[place + 1 : place + 2].isalnum() else regex[place + 1 : place + 2]), place + 1
        elif sign == "[":
            end = regex.find("]", place + 2)
            sign, place = " ", end if end > 0 else len(regex)
        elif sign in "()":
            depth += 1 if sign == "(" else -1
            sign = " "
        elif sign in ".^$+":
            sign = " "
        elif sign in "?*{":
            if kept:
                kept[-1] = " "
            if sign == "{":
                end = regex.find("}", place)
                place = end if end > 0 else len(regex)
            sign = " "
        kept.append(sign if not depth else " ")
        place += 1
    return "".join(kept)


# ---------------------------------------------------------------------- commands


def words_of(command: str) -> "list[str]":
    """Return the words of the first command of a line."""
    return next((forms[0] for forms in _commands(command)), [])


def commands_in(line: str) -> "list[list[str]]":
    """Return the words of each simple command in a shell command line, in order.

    Quotes, assignments of variables, redirections, `sudo` and similar are removed. A quoted text is one word, except that what
    `bash -c` or `eval` runs is read, too.
    """
    return [forms[-1] for forms in _commands(line)]


def _commands(line: str) -> "list[list[list[str]]]":
    """Return each simple command in a command line in its forms: as written, then without each program that only runs the rest."""
    lines, result = [line[:LOOKED_AT]], []
    for text in lines:
        words: list[str] = []
        for word in [*_shell_words(text), None]:
            if word is not None:
                words.append(word)
                continue
            if forms := _forms([word for word in words if not isinstance(word, _HereDocument)]):
                result.append(forms)
                lines += _lines_run_by(forms[-1], [word for word in words if isinstance(word, _HereDocument)])
            words = []
    return result


class _HereDocument(str):
    """The text of a here-document, among the words of its command."""


def _lines_run_by(words: "list[str]", documents: "list[_HereDocument]") -> "list[str]":
    """Return the command lines that a shell or `eval` is given as an argument, or a shell as its input."""
    if words[0] == "eval":
        return [" ".join(words[1:])]
    if words[0] in _SHELLS:
        for place, word in enumerate(words[1:-1], 2):
            if word.startswith("-") and not word.startswith("--") and word.endswith("c"):
                return [words[place]]
        if not arguments(words) or "-s" in words:
            return [str(text) for text in documents]
    return []


def _shell_words(line: str) -> "list[str | None]":
    """Return the words of a command line, with None between two commands. A here-document is one word."""
    result: list[str | None] = []
    word, quote, begun = "", "", False
    place = 0
    while place < len(line):
        sign = line[place]
        if quote:
            if sign == quote:
                quote = ""
            elif sign == "\\" and quote == '"' and place + 1 < len(line):
                place += 1
                word += line[place]
            else:
                word += sign
        elif sign in "'\"":
            quote, begun = sign, True
        elif sign == "\\" and place + 1 < len(line):
            place += 1
            word += line[place].strip("\n")
            begun = begun or line[place] != "\n"
        elif sign == "<" and line.startswith("<<", place):
            begun = _ended(result, word, begun)
            word = ""
            text, line = _without_here_document(line, place)
            result += text
            place -= 1
        elif sign == ">" or line[place - 1 : place + 1] == ">&":
            word, begun = _redirected(result, word, begun) + sign, True
        elif sign in _OPERATORS or sign.isspace():
            begun = _ended(result, word, begun)
            word = ""
            result += [None] * (sign in _OPERATORS)
        else:
            word += sign
            begun = True
        place += 1
    _ended(result, word, begun)
    return result


def _without_here_document(line: str, place: int) -> "tuple[list[_HereDocument], str]":
    """Return the text of the here-document whose `<<` is at a place, and the command line without both.

    It ends with the line if its last line is missing. The text after `<<<` is left in the line as a word.
    """
    if line.startswith("<<<", place):
        return [], line[:place] + line[place + 3 :]
    head, _, below = line[place + 2 :].partition("\n")
    head = head.removeprefix("-").lstrip()
    if head[:1] in ("'", '"'):
        marker, _, head = head[1:].partition(head[0])
    else:
        end = next((at for at, sign in enumerate(head) if sign in _OPERATORS or sign in "<>" or sign.isspace()), len(head))
        marker, head = head[:end].lstrip("\\"), head[end:]
    texts = below.split("\n")
    last = next((number for number, text in enumerate(texts) if marker and text.lstrip("\t").startswith(marker)), len(texts))
    left = [texts[last].lstrip("\t").removeprefix(marker), *texts[last + 1 :]] if last < len(texts) else []
    return [_HereDocument("\n".join(texts[:last]))], "\n".join([line[:place] + head, *left])


def _redirected(result: "list[str | None]", word: str, begun: bool) -> str:
    """Return the start of a redirection before its sign, such as the 2 of `2>`; any other word ends there."""
    if not word.strip("0123456789>"):
        return word
    _ended(result, word, begun)
    return ""


def _ended(result: "list[str | None]", word: str, begun: bool) -> bool:
    if begun:
        result.append(word)
    return False


def _forms(words: "list[str]") -> "list[list[str]]":
    """Return the forms of a command, without shell words, assignments and redirections; none if it runs no program."""
    left, forms = [word for word in words if not word.lstrip("012").startswith((">", "&>"))], []
    while left := _from_program(left):
        program = left[0].replace("\\", "/").rsplit("/", 1)[-1]
        forms.append([program, *left[1:]])
        if program not in _RUNNERS or [program, *left[1:2]] in (["command", "-v"], ["command", "-V"]):
            break
        left = _run_by(forms[-1])
    return forms


def _run_by(words: "list[str]") -> "list[str]":
    """Return the command that one of the runners runs, such as what follows `sudo -u root`; empty if there is none."""
    return _from_program(_after_options(words[1:], _RUNNERS[words[0]])[words[0] == "timeout" :])


def _from_program(words: "list[str]") -> "list[str]":
    """Return a command from its program on."""
    start = 0
    while start < len(words) and (words[start] in _SHELL_WORDS or ("=" in words[start] and not words[start].startswith("-"))):
        start += 1
    return words[start:]


def _after_options(words: "list[str]", with_value: str) -> "list[str]":
    """Return the words after the options that a list of words begins with."""
    start = 0
    while start < len(words) and words[start].startswith("-"):
        has_value = not words[start].startswith("--") and words[start][-1] in with_value
        start += 2 if has_value else 1
    return words[start:]


def _runs_one(wanted: "list[str]", forms: "list[list[str]]") -> bool:
    """Return whether one of the forms of a command is the wanted one.

    A wanted `sudo apt` is one `apt` after one `sudo`, whatever stands between: `sudo -u root nice apt`.
    """
    if any(_runs(wanted, form) for form in forms):
        return True
    behind = _run_by(wanted) if wanted[0] in _RUNNERS else []
    return bool(behind) and any(
        _runs(wanted[: -len(behind)], form) and _runs_one(behind, forms[place:]) for place, form in enumerate(forms, 1)
    )


def _runs(wanted: "list[str]", words: "list[str]") -> bool:
    """Return whether a command has the wanted program, begins with the wanted words in order, and has the wanted options."""
    if not _is_word(wanted[0], words[0]):
        return False
    wanted, words = _with_long_options(wanted), _with_long_options(words)
    options = [word for word in wanted[1:] if word.startswith("-")]
    if any(not any(_is_option(option, word) for word in words[1:]) for option in options):
        return False
    plain, there = [word for word in wanted[1:] if not word.startswith("-")], arguments(words)
    return len(plain) <= len(there) and all(map(_is_word, plain, there))


def _with_long_options(words: "list[str]") -> "list[str]":
    """Return a command with the options of :data:`_LONG_OPTIONS` in their long form."""
    there = [*arguments(words), ""]
    longs, with_value = _LONG_OPTIONS.get(words[0]) or _LONG_OPTIONS.get(f"{words[0]} {there[0]}", ({}, ""))
    result = words[:1]
    for word in words[1:]:
        letters = word[1:] if longs and word[:1] == "-" and word[:2] != "--" and " " not in word else ""
        end = next((place for place, letter in enumerate(letters) if letter in with_value), len(letters))
        if any(letter in longs for letter in letters[:end]):
            result += [longs.get(letter, "-" + letter) for letter in letters[:end]]
            result += ["-" + letters[end:]] * (end < len(letters))
        else:
            result.append(word)
    if there[0] == "push" and words[0] == "git" and any(word.startswith("+") for word in there):
        result.append("--force")  # for one branch
    return result


def arguments(words: "list[str]") -> "list[str]":
    """Return the words of a command after its program, without options and their values."""
    texts, skips = [], False
    for word in words[1:]:
        if skips:
            skips = False
        elif word.startswith("-"):
            skips = word in _WITH_VALUE or f"{words[0]} {word}" in _WITH_VALUE_OF
        else:
            texts.append(word)
    return texts


def _is_option(wanted: str, word: str) -> bool:
    """Return whether a word is the option, with or without its value; a one-letter option may be combined with others."""
    if word == wanted or word.startswith(wanted + "="):
        return True
    short = len(wanted) == 2 and wanted[1] != "-"
    return short and word.startswith("-") and not word.startswith("--") and wanted[1] in word[1:]


def _is_word(wanted: str, word: str) -> bool:
    if "*" not in wanted:
        return wanted == word
    return _is_like(word, wanted)


def _is_path(pattern: str, path: str) -> bool:
    """Return whether a glob matches a path or its last parts. `*` and `**` also match slashes."""
    path, pattern = path.strip().replace("\\", "/"), pattern.replace("\\", "/").removeprefix("./").replace("**", "*")
    if "*" not in pattern and "?" not in pattern:
        return (
            path == pattern
            or path.endswith("/" + pattern.lstrip("/"))
            or f"/{pattern.strip('/')}/" in f"/{path}" * pattern.endswith("/")
        )
    return _is_like(path, pattern) or _is_like(path, "*/" + pattern.lstrip("/"))


def _is_like(text: str, pattern: str) -> bool:
    """Return whether a glob matches a text; brackets are plain characters, as in `app/[slug]/*.tsx`."""
    import fnmatch

    return fnmatch.fnmatchcase(text, pattern.replace("[", "[[]"))


# ---------------------------------------------------------------------- calls as hosts report them


def call_of(name: str, given: object) -> "tuple[str, str, str] | None":
    """Return (tool, target, change) of a tool call as a host reports it; None when it only reads or plans.

    Args:
        name: of the tool. given: its input: an object, or for some tools a text.
    """
    low = name.lower()
    if isinstance(given, str):
        given = {"patch" if "patch" in low else "command": given}
    if not isinstance(given, dict):
        return None
    if low.startswith("mcp") or "__" in low:
        return "mcp", name, _text(given)
    if low in ("skill", "activate_skill"):
        return "skill", _first(given, _SKILLS), _first(given, ("args",))
    command, change = _first(given, _COMMANDS), _first(given, _CHANGES)
    patch = next((text for text in (command, change) if "*** Begin Patch" in text), "")
    if patch:
        return "edit", "\n".join(_patched(patch)), patch[:LOOKED_AT]
    if command:
        return "run", command[:LOOKED_AT], ""
    return _other_call(low, name, given, change)


def _other_call(low: str, name: str, given: "dict[str, object]", change: str) -> "tuple[str, str, str] | None":
    """Return a call that is neither a command nor a patch; None when it only reads or plans."""
    path = _first(given, _PATHS)
    if path and any(word in low for word in _WRITING):
        return "edit", path, change[:LOOKED_AT]
    if "web" in low or (low.startswith("fetch") and "url" in given):
        return "web", _first(given, _ADDRESSES), ""
    return None if path or any(word in low for word in _READING) else ("mcp", name, _text(given))


def _first(given: "dict[str, object]", names: "tuple[str, ...]") -> str:
    """Return the first non-empty one of these fields as text; a list of words is joined to a command line."""
    for name in names:
        value = given.get(name)
        if isinstance(value, str) and value:
            return value
        if isinstance(value, list) and value:
            shell = len(value) > 2 and all(isinstance(entry, str) for entry in value) and value[1] in ("-c", "-lc")
            return (
                str(value[2])
                if shell
                else " ".join(_text(by_key) if isinstance(by_key, dict) else str(by_key) for by_key in value)
            )
    return ""


def _text(given: object) -> str:
    import json

    return json.dumps(given, ensure_ascii=False)[:LOOKED_AT]


def _patched(patch: str) -> "list[str]":
    """Return the paths that a patch changes."""
    return [line.removeprefix(mark).strip() for line in patch.splitlines() for mark in _PATCHED if line.startswith(mark)]
