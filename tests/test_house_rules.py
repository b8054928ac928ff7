"""The dependency rule and the homes of side effects, read off the source. docs/architecture.md says why."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "vademecum"

STATIONS = ("capture", "guard", "vault", "index", "recall", "compose", "upkeep")

#: Folder or module -> what of ours it may import. "upkeep" and "memory" join stations; "wiring" joins everything.
MAY_IMPORT = {
    "model": {"model"},
    **{station: {"model", station} for station in STATIONS},
    "upkeep": {"model", *STATIONS},
    "adapters": {"model", "adapters"},
    "bench": {"model", "memory", "wiring", "settings", "bench"},
    "demo": {"model", "memory", "wiring", "settings", "demo"},
    "doctor": {"model", "memory", "wiring", "settings", "doctor", "adapters"},  # it looks at everything, as wiring does
    "doors": {"model", "memory", "wiring", "settings", "doors", "bench", "demo", "compose", "doctor"},
    "memory": {"model", "upkeep", *STATIONS},
    "settings": {"model"},
    "wiring": {"model", "adapters", "capture", "guard", "memory", "recall", "settings", "upkeep", "vault"},
    "__init__": set(),
    "__main__": {"doors"},
}

#: Side effect -> where it may happen.
#: The hook client imports nothing of ours, so it reads its switch and makes its file names itself.
HOMES = {
    "the environment": (("os.environ", "os.getenv", "Path.home"), ("settings.py", "doors/hooks/carrier.py")),
    "the time": (
        ("time.time", "time.time_ns", "datetime.now", "date.today", "time.perf_counter", "time.monotonic"),
        ("adapters/clock.py", "bench/", "doors/hooks/bench.py", "doors/show.py"),
    ),
    "chance": (
        ("os.urandom", "random.random", "secrets.token_bytes", "secrets.token_urlsafe", "uuid.uuid4"),
        ("adapters/clock.py", "doors/hooks/carrier.py"),
    ),
}


def modules() -> list[Path]:
    return sorted(SOURCE.rglob("*.py"))


def part_of(path: Path) -> str:
    """The folder below the package, or the module's name when it lies at the top."""
    relative = path.relative_to(SOURCE)
    return relative.parts[0] if len(relative.parts) > 1 else relative.stem


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


def dotted_calls(tree: ast.AST) -> set[str]:
    return {ast.unparse(node) for node in ast.walk(tree) if isinstance(node, ast.Attribute)}


def test_dependency_rule():
    """A station imports only the model; only wiring knows the adapters; nobody imports sideways or upward."""
    wrong = []
    for path in modules():
        part = part_of(path)
        for imported, node in own_imports(ast.parse(path.read_text(encoding="utf-8"))):
            if imported not in MAY_IMPORT[part] and imported != "__version__":
                wrong.append(f"{path.relative_to(SOURCE)}:{node.lineno} imports {imported}")
    assert not wrong


def test_imports_at_top():
    """Our own modules are imported where a reader looks for them. Registries and doors may wait, to start fast."""
    may_wait = (
        "adapters/embedders/__init__.py",
        "adapters/hosts/__init__.py",
        "adapters/stores/__init__.py",
        "adapters/transcripts/__init__.py",
    )
    wrong = []
    for path in modules():
        relative = path.relative_to(SOURCE).as_posix()
        if relative in may_wait or relative.startswith("doors/") or relative == "wiring.py":
            continue
        for function in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
                wrong += [f"{relative}:{node.lineno}" for _, node in own_imports(function)]
    assert not wrong


@pytest.mark.parametrize("effect", HOMES)
def test_homes_of_effects(effect):
    """The environment, time and chance each come in through one door, so everything else can be tested without them."""
    calls, homes = HOMES[effect]
    wrong = []
    for path in modules():
        relative = path.relative_to(SOURCE).as_posix()
        if relative.startswith(homes):
            continue
        used = dotted_calls(ast.parse(path.read_text(encoding="utf-8")))
        wrong += [f"{relative}: {name}" for name in used if name in calls]
    assert not wrong


def test_printing_stays_in_doors():
    """The library never talks to a terminal: it also serves hosts that read its output as data."""
    wrong = []
    for path in modules():
        if path.relative_to(SOURCE).as_posix().startswith("doors/"):
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in ("print", "sys.stdout.write", "sys.stderr.write"):
                wrong.append(f"{path.relative_to(SOURCE)}:{node.lineno}")
    assert not wrong


def test_sql_stays_in_stores():
    """The database is an adapter: another one can take its place."""
    for path in modules():
        relative = path.relative_to(SOURCE).as_posix()
        imported = {
            alias.name
            for node in ast.walk(ast.parse(path.read_text("utf-8")))
            if isinstance(node, ast.Import)
            for alias in node.names
        }
        if imported & {"apsw", "sqlite3"}:
            assert relative.startswith(("adapters/stores/", "adapters/embedders/cached.py")), relative


#: Where everything is caught, and what becomes of it.
CATCH_ALL = {
    "adapters/hands.py": "done again, and raised, where the result is wanted",
    "doors/hooks/client.py": "the person's prompt goes on; the event is kept for the helper",
    "doors/serve/desk.py": "raised again in the task that waits",
    "recall/questions.py": "raised again in the thread that waits",
}


def test_no_silent_handlers():
    """An error that nobody sees is how memories die for months (X-17, X-22)."""
    wrong = []
    for path in modules():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            broad = isinstance(node, ast.ExceptHandler) and (
                node.type is None or ast.unparse(node.type) in ("Exception", "BaseException")
            )
            known = path.relative_to(SOURCE).as_posix() in CATCH_ALL
            if broad and not known and not isinstance(node.body[-1], ast.Raise):  # tidying up and passing it on is not silence
                wrong.append(f"{path.relative_to(SOURCE)}:{node.lineno}")
    assert not wrong
