"""The dependency rule and the homes of side effects, read off the source. docs/architecture.md says why."""

import ast
import importlib
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "vademecum"

#: What is shared by all: values, ports, words of human languages.
SHARED = {"domain", "ports", "language"}
#: Stations of the road; none imports another, but for those named in `MAY_IMPORT`.
STATIONS = {"guard", "vault", "index", "extract", "recall"}
#: Use cases join stations, in layers: a room imports only rooms of layers below its own.
LAYERS = (
    {"context"},
    {"sync", "reconcile"},
    {"write"},
    {"views"},
    {"actions"},
    {"ingest"},
    {"sessions"},
    {"llm_reading"},
    {"inject"},
    {"maintenance"},
)
ROOMS = set().union(*LAYERS)

#: Folder or module -> what of ours it may import.
MAY_IMPORT: dict[str, set[str]] = {
    # The rows that plugins give are typed by these; it imports nothing of ours when it runs.
    "plugin": {
        "adapters",
        "context",
        "doctor",
        "views",
        "domain",
        "ports",
        "write",
        "maintenance",
        "recall",
        "api",
        "settings",
        "entrypoints",
    },
    "domain": {"domain"},
    "ports": {"domain", "ports"},
    "language": {"domain", "language"},
    **{station: {*SHARED, station} for station in STATIONS},
    **{
        room: {*SHARED, *STATIONS, room, *(below for layer in LAYERS[:floor] for below in layer)}
        for floor, layer in enumerate(LAYERS)
        for room in layer
    },
    "adapters": {"domain", "ports", "language", "adapters"},
    "demo": {*SHARED, "api", "wiring", "settings", "demo"},
    "doctor": {*SHARED, "plugin", "api", "wiring", "settings", "doctor", "adapters"},  # it looks at everything, as wiring does
    "entrypoints": {
        *SHARED,
        "context",
        "actions",
        "inject",
        "api",
        "wiring",
        "settings",
        "entrypoints",
        "demo",
        "doctor",
        "plugin",
    },
    "api": {*SHARED, *STATIONS, *ROOMS, "api"},
    "settings": {"domain", "plugin", "settings"},
    "wiring": {"plugin", *SHARED, *STATIONS, *ROOMS, "adapters", "api", "settings", "wiring"},
    "__init__": set(),
    "__main__": {"entrypoints"},
}

#: A plugin imports values, ports, words and settings, and of the rooms what `plugin_api` shows. The core imports no plugin, and nothing but
#: plugins imports `plugin_api`.
MAY_IMPORT["plugin_api"] = {*MAY_IMPORT} - {"__init__", "__main__"}
MAY_IMPORT["plugins"] = {*SHARED, "plugin", "settings", "plugin_api", "plugins"}
MAY_IMPORT["maintenance"] |= {"plugin"}  # jobs of plugins are done in the same rounds
MAY_IMPORT["sessions"] |= {"plugin"}  # plugins are told of each conversation that was worked through
MAY_IMPORT["inject"] |= {"plugin"}  # plugins have lines for agents without hooks
MAY_IMPORT["api"] |= {"plugin"}  # a plugin may know how an agent's chat stopped
MAY_IMPORT["views"] |= {"plugin"}  # views of plugins are kept with those of the core
MAY_IMPORT["recall"] |= {"plugin"}  # a profile may be that of a plugin's ranker
for observing in ("recall", "write", "inject"):  # plugins observe a search, a save and a delivery
    MAY_IMPORT[observing] |= {"plugin"}
MAY_IMPORT["adapters"] |= {"plugin"}  # the tables of hosts, formats and embedders hold those of plugins
MAY_IMPORT["context"] |= {"sync"}  # what holds the index writer is typed by it

#: Edges that show results: a result stands beside its use case, so they may name classes and constants of any room, but call no function.
SHOW_RESULTS = {"entrypoints", "demo", "doctor"}

#: Side effect -> where it may happen.
#: The hook client imports nothing of ours, so it reads its switch and makes its file names itself; so does the first step of a command,
#: whose environment is handed on as it is. The age of a left-over file is told by the clock that gave it its time: the system's.
HOMES = {
    "the environment": (
        ("os.environ", "os.getenv", "Path.home"),
        (
            "settings/",
            "entrypoints/hooks/alone.py",
            "entrypoints/hooks/carrier.py",
            "entrypoints/cli/through_helper.py",
            "entrypoints/cli/command_server.py",
        ),
    ),
    "the time": (
        ("time.time", "time.time_ns", "datetime.now", "date.today", "time.perf_counter", "time.monotonic"),
        (
            "adapters/clock.py",
            "entrypoints/cli/progress.py",
            "entrypoints/hooks/acting.py",
            "entrypoints/hooks/carrier.py",
            "vault/files.py",
        ),
    ),
    "chance": (
        ("os.urandom", "random.random", "secrets.token_bytes", "secrets.token_urlsafe", "uuid.uuid4"),
        ("adapters/clock.py", "entrypoints/hooks/carrier.py"),
    ),
}


def modules() -> list[Path]:
    return sorted(SOURCE.rglob("*.py"))


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def nodes_of(path: Path) -> tuple[ast.AST, ...]:
    """All nodes of a module: many rules look at each."""
    return tuple(ast.walk(tree_of(path)))


def dotted(node: ast.AST) -> str:
    """A name with dots as it stands in the source, "" for any other expression: much cheaper than `ast.unparse`."""
    if isinstance(node, ast.Name):
        return node.id
    owner = dotted(node.value) if isinstance(node, ast.Attribute) else ""
    return f"{owner}.{node.attr}" if owner else ""


def part_of(path: Path) -> str:
    """The folder below the package, or the module's name when it lies at the top."""
    relative = path.relative_to(SOURCE)
    return relative.parts[0] if len(relative.parts) > 1 else relative.stem


def names_only_values(node: ast.stmt) -> bool:
    return isinstance(node, ast.ImportFrom) and all(re.fullmatch("[A-Z]\\w*", alias.name) for alias in node.names)


def own_imports(tree: ast.AST) -> Iterator[tuple[str, ast.stmt]]:
    """(part imported, statement) of each import of our own package."""
    for node in ast.walk(tree):
        names = []
        if isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            names = [node.module] if node.module != "vademecum" else [f"vademecum.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level:
            pytest.fail(f"relative import: {ast.unparse(node)}")
        for name in names:
            if name.startswith("vademecum."):
                yield name.split(".")[1], node


@cache
def dotted_names(path: Path) -> set[str]:
    return {dotted(node) for node in nodes_of(path) if isinstance(node, ast.Attribute)}


def test_dependency_rule():
    """A station imports only the model; only wiring knows the adapters; nobody imports sideways or upward."""
    wrong = []
    for path in modules():
        part = part_of(path)
        for imported, node in own_imports(tree_of(path)):
            if part in SHOW_RESULTS and imported in {*STATIONS, *ROOMS} and names_only_values(node):
                continue
            if imported not in MAY_IMPORT[part] and imported != "__version__":
                wrong.append(f"{path.relative_to(SOURCE)}:{node.lineno} imports {imported}")
    assert not wrong


def test_imports_at_top():
    """Our own modules are imported where a reader looks for them. Registries, entrypoints and the facade may wait, to start fast."""
    may_wait = (
        "adapters/embedders/__init__.py",
        "adapters/hosts/all_hosts.py",
        "adapters/stores/__init__.py",
        "adapters/transcripts/__init__.py",
        "inject/at_start.py",  # a prompt does without the vault and the sessions
    )
    wrong = []
    for path in modules():
        relative = path.relative_to(SOURCE).as_posix()
        if relative in may_wait or relative.startswith(("api/", "entrypoints/", "wiring/")):
            continue
        for function in nodes_of(path):
            if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
                wrong += [f"{relative}:{node.lineno}" for _, node in own_imports(function)]
    assert not wrong


def imported_modules(tree: ast.AST, known: set[str]) -> Iterator[str]:
    """Those of the known modules that a module imports when it runs, also inside functions; what only types need is left out."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            continue
        if isinstance(node, ast.ImportFrom) and node.module:
            yield from {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)} & known
        elif isinstance(node, ast.Import):
            yield from {alias.name for alias in node.names} & known
        else:
            yield from imported_modules(node, known)


def test_no_import_circles():
    """Modules import each other in one direction only, files of one room too, so that each can be understood by itself."""
    names = {
        path: ".".join(path.relative_to(SOURCE.parent).with_suffix("").parts).removesuffix(".__init__") for path in modules()
    }
    known = set(names.values())
    arrows = {name: set(imported_modules(tree_of(path), known)) - {name} for path, name in names.items()}
    # A package that only names what is in it is no circle with that.
    left = {name: {one for one in to if not name.startswith(one + ".")} for name, to in arrows.items()}
    while free := {name for name, to in left.items() if not to & left.keys()} | (left.keys() - set().union(*left.values())):
        left = {name: to for name, to in left.items() if name not in free}
    assert not left, sorted(left)


@pytest.mark.parametrize("effect", HOMES)
def test_homes_of_effects(effect):
    """The environment, time and chance each come in through one door, so everything else can be tested without them."""
    calls, homes = HOMES[effect]
    wrong = []
    for path in modules():
        relative = path.relative_to(SOURCE).as_posix()
        if relative.startswith(homes):
            continue
        used = dotted_names(path)
        wrong += [f"{relative}: {name}" for name in used if name in calls]
    assert not wrong


def test_printing_stays_in_entrypoints():
    """The library never talks to a terminal: it also serves hosts that read its output as data."""
    wrong = []
    for path in modules():
        if path.relative_to(SOURCE).as_posix().startswith("entrypoints/"):
            continue
        for node in nodes_of(path):
            if isinstance(node, ast.Call) and dotted(node.func) in ("print", "sys.stdout.write", "sys.stderr.write"):
                wrong.append(f"{path.relative_to(SOURCE)}:{node.lineno}")
    assert not wrong


def test_sql_stays_in_stores():
    """The database is an adapter: another one can take its place."""
    for path in modules():
        relative = path.relative_to(SOURCE).as_posix()
        imported = {alias.name for node in nodes_of(path) if isinstance(node, ast.Import) for alias in node.names}
        if imported & {"apsw", "psycopg", "sqlite3"}:
            homes = ("adapters/stores/", "adapters/embedders/cached.py", "plugins/sql/views.py", "plugins/team/postgres/")
            assert relative.startswith(homes), relative


#: Where everything is caught, and what becomes of it.
CATCH_ALL = {
    "plugin.py": "a plugin that raises is left out, and named by `vade doctor`",
    "adapters/worker_process.py": "done again, and raised, where the result is wanted",
    "entrypoints/hooks/client.py": "the person's prompt goes on; the event is kept for the helper",
    "entrypoints/hooks/alone.py": "the helper is asked, as where words alone answer nothing",
    "entrypoints/cli/command_server.py": "shown in the client's stream, as Python shows it",
    "entrypoints/daemon/executor.py": "raised again in the task that waits",
    "recall/questions.py": "raised again in the thread that waits",
    "maintenance/jobs.py": "noted with the job, told by `vade jobs` and `vade status`; the next job is done",
}


def test_no_silent_handlers():
    """An error that nobody sees is how memories die for months (X-17, X-22)."""
    wrong = []
    for path in modules():
        known = path.relative_to(SOURCE).as_posix() in CATCH_ALL
        for node in nodes_of(path):
            broad = isinstance(node, ast.ExceptHandler) and (
                node.type is None or ast.unparse(node.type) in ("Exception", "BaseException")
            )
            if broad and not known and not isinstance(node.body[-1], ast.Raise):  # tidying up and passing it on is not silence
                wrong.append(f"{path.relative_to(SOURCE)}:{node.lineno}")
    assert not wrong


#: What others may take from the guard: the guard itself, what it answers, and what knows no policy.
OF_THE_GUARD = {
    "vademecum.guard": {"Guard", "Action", "Finding", "Verdict"},
    "vademecum.guard.forgotten": {"WORDS_MIN", "Forgotten", "digests_of", "sentences", "words_of"},
    "vademecum.guard.records": {"rewrite_records"},
}


def test_guard_has_the_policy():
    """Nobody reaches a function of the guard past the object that holds the person's policy: it cannot be left out (X-37)."""
    wrong = []
    for path in modules():
        if part_of(path) == "guard":
            continue
        for node in nodes_of(path):
            if isinstance(node, ast.ImportFrom) and node.module:
                names = [(node.module, alias.name) for alias in node.names]
            elif isinstance(node, ast.Import):
                names = [(alias.name, "") for alias in node.names]
            else:
                continue
            for module, name in names:
                whole = f"{module}.{name}" == "vademecum.guard" or (module.startswith("vademecum.guard") and not name)
                taken = module.startswith("vademecum.guard") and name not in OF_THE_GUARD.get(module, ())
                if whole or taken:
                    wrong.append(f"{path.relative_to(SOURCE)}:{node.lineno} takes {module}.{name}")
    assert not wrong


#: Where text may be put into an index: the one writer, and the indexes themselves. `apply` of the installer of hosts is another.
WRITES_THE_INDEX = ("sync/index_writer.py", "adapters/stores/")
APPLIES_SOMETHING_ELSE = ("entrypoints/cli/hosts.py", "entrypoints/cli/removal.py")


def is_index_write(call: ast.Call) -> bool:
    """Whether a call is `apply` on anything, or `extend` on something that is called an index."""
    if not isinstance(call.func, ast.Attribute):
        return False
    if call.func.attr != "extend":
        return call.func.attr == "apply"
    owner = ast.unparse(call.func.value).lower()
    return "index" in owner or "substitute" in owner


def test_one_writer_of_the_index():
    """Text comes into an index through `IndexWriter` alone, which cleans it: no verb can forget to (X-21)."""
    wrong = []
    for path in modules():
        relative = path.relative_to(SOURCE).as_posix()
        if relative.startswith(WRITES_THE_INDEX) or relative in APPLIES_SOMETHING_ELSE:
            continue
        for node in nodes_of(path):
            if isinstance(node, ast.Call) and is_index_write(node):
                wrong.append(f"{relative}:{node.lineno} {ast.unparse(node.func)}")
    assert not wrong


def test_test_folders_never_collide():
    """Two test files may have one name: pytest knows each by its whole path, and none is reached through a changed search path."""
    options = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["pytest"]["ini_options"]
    assert "--import-mode=importlib" in options["addopts"]
    files = [path for folder in ("tests", "benchmarks") for path in (ROOT / folder).rglob("*.py")]
    helpers = {path.stem for path in files if path.is_relative_to(ROOT / "tests")}
    named_bare = re.compile(rf"^\s*(?:from|import)\b.*\b(?:{'|'.join(helpers)})\b|sys\.path", re.MULTILINE)
    wrong = []
    for path in files:
        for node in nodes_of(path) if named_bare.search(path.read_text(encoding="utf-8")) else ():
            changes = isinstance(node, ast.Call) and re.fullmatch(r"sys\.path\.(insert|append|extend)", dotted(node.func))
            named = [node.module] if isinstance(node, ast.ImportFrom) and not node.level else []
            named += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if changes or helpers.intersection(named):
                wrong.append(f"{path.relative_to(ROOT)}:{node.lineno}")
    assert not wrong


#: Parameters that decide how something is judged: who leaves one out by mistake must be told so.
DECIDING = {"language", "languages", "policy", "clock", "device", "project", "local", "local_time"}
#: Where one may be left out, and what that means then.
MAY_LEAVE_OUT = {
    "wiring/memory.py open_memory(clock)": "the system's; here the clock is chosen",
    "wiring/memory.py open_context(clock)": "likewise",
    "views/texts.py of(project)": "likewise",
    "entrypoints/screens/review.py run(project)": "likewise",
    "ports/state.py note(project)": "an outcome that belongs to no project",
    "adapters/stores/device_tables.py note(project)": "likewise",
}


def left_out(function: ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    """The parameters of a function that have a default."""
    given = function.args
    positional = [*given.posonlyargs, *given.args]
    return {one.arg for one in positional[len(positional) - len(given.defaults) :]} | {
        one.arg for one, default in zip(given.kwonlyargs, given.kw_defaults, strict=True) if default is not None
    }


def test_nothing_that_decides_has_a_default():
    """Whose language, policy, clock, device or project counts is said by each caller: a default judged every language by English words.

    The person's own verbs may leave out a project: the stations (`api/`), and what they hand out as it is (`use_case`).
    """
    stations = [tree_of(path) for path in modules() if part_of(path) == "api"]
    handed_out = {
        ast.unparse(node.args[-1]).strip("'").rpartition(".")[2]
        for tree in stations
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and dotted(node.func) in ("use_case", "use_case.late") and node.args
    }
    found = set()
    for path in modules():
        for node in nodes_of(path):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                names = left_out(node) & DECIDING
                if (part_of(path) == "api" and node.name != "__init__") or node.name in handed_out:
                    names = names - {"project"}
                found |= {f"{path.relative_to(SOURCE).as_posix()} {node.name}({name})" for name in names}
            elif isinstance(node, ast.ClassDef):  # values may hold an empty project; a policy or a clock is never left out
                fields = {
                    field.target.id for field in node.body if isinstance(field, ast.AnnAssign) and field.value is not None
                }
                held = fields & (DECIDING - {"project"}) if path.name != "definitions.py" else set()
                found |= {f"{path.relative_to(SOURCE).as_posix()} {node.name}({name})" for name in held}
    assert found == MAY_LEAVE_OUT.keys()


def test_docstrings_are_text():
    """Half a character in a docstring is a syntax error from Python 3.13 on; an escape that is meant to be read stands in a raw one."""
    for path in modules():
        for node in nodes_of(path):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                (ast.get_docstring(node) or "").encode()


#: Most parameters of a function, beside `self`; more are a value object with names.
PARAMETERS_MOST = 6


def test_few_parameters():
    """A call says what each of its values means: whoever needs more than six takes a value object."""
    wrong = set()
    for path in modules():
        relative = path.relative_to(SOURCE).as_posix()
        for node in nodes_of(path):
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                continue
            more = [one for one in (node.args.vararg, node.args.kwarg) if one is not None]
            given = [one.arg for one in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs, *more)]
            if len(given) - (given[:1] in (["self"], ["cls"])) > PARAMETERS_MOST:
                wrong.add(f"{relative} {node.name}")
    assert wrong == set()


def test_late_imports_name_something():
    """What `wiring` imports with its first call is named by a text, which no type checker follows."""
    nodes = [node for path in modules() if part_of(path) == "wiring" for node in nodes_of(path)]
    calls = [node for node in nodes if isinstance(node, ast.Call) and dotted(node.func) == "late"]
    named = [tuple(ast.literal_eval(argument) for argument in call.args[:2]) for call in calls]
    assert named
    assert [name for module, name in named if not hasattr(importlib.import_module(f"vademecum.{module}"), name)] == []
