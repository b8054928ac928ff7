"""A verb is written once: what is added to the table is on the command line, over HTTP and for agents, with the same errors."""

import functools
import json
import re
from datetime import UTC, datetime, timedelta, timezone

import pytest
from mcp import Client
from tests.entrypoints.http.test_http import AUTH, TOKEN, send

from vademecum.adapters.clock import SystemClock
from vademecum.domain.errors import NotFound
from vademecum.entrypoints import arguments, verbs
from vademecum.entrypoints.arguments import BadArgument, checked, from_text, schema
from vademecum.entrypoints.cli import cli
from vademecum.entrypoints.http.access import Access
from vademecum.entrypoints.http.app import build_app
from vademecum.entrypoints.mcp.server import build_server
from vademecum.entrypoints.verbs import VERBS
from vademecum.entrypoints.verbs.verb import Param, Verb, with_flags


def brewed(memory, ref: str, minutes: int, strength: str, notes: tuple[str, ...]) -> dict:
    if ref == "nothing":
        raise NotFound("There is no tea of that name.", "Buy some.")
    return {"tea": ref, "minutes": minutes, "strength": strength, "notes": list(notes)}


BREW = Verb(
    "brew", "Make tea.",
    (
        Param("ref", "text", "Which tea.", place=True, max_chars=20),
        Param("minutes", "number", "How long.", 3, least=1, most=10),
        Param("strength", "text", "How strong.", "", choices=("", "weak", "strong")),
        Param("notes", "list", "Notes.", (), max_items=2),
    ),
    brewed, str,
)  # fmt: skip

#: Arguments -> the answer, or its word and a part of its message.
CALLS = [
    ({"ref": "assam", "minutes": 4, "notes": ["hot"]}, {"tea": "assam", "minutes": 4, "strength": "", "notes": ["hot"]}),
    ({"ref": "nothing"}, ("not_found", "There is no tea of that name.", "Buy some.")),
    ({"ref": "assam", "minutes": 11}, ("invalid", "minutes takes a whole number from 1 to 10, not 11.", "How long.")),
    ({"ref": "x" * 21}, ("invalid", "ref has 21 characters; 20 are possible at most.", "Shorten it or split it.")),
    ({"ref": "assam", "notes": ["a", "b", "c"]},
     ("invalid", "notes has 3 entries; 2 are possible at most.", "Split it into several calls.")),
]  # fmt: skip


@pytest.fixture
def more_verbs(monkeypatch):
    """The table with one verb more."""
    table = (*VERBS, BREW)
    monkeypatch.setattr(verbs, "VERBS", table, raising=False)
    monkeypatch.setattr(cli, "verbs_of", lambda word: tuple(verb for verb in table if verb.name.partition(" ")[0] == word))
    for made_once in ("_root", "commands"):
        monkeypatch.setattr(cli, made_once, functools.cache(getattr(cli, made_once).__wrapped__))
    return table


def typed(arguments):
    """The arguments as a person types them."""
    words = [arguments["ref"]]
    for name, value in arguments.items():
        for one in value if isinstance(value, list) else [value]:
            words += [] if name == "ref" else [f"--{name}", str(one)]
    return words


@pytest.mark.parametrize(("arguments", "expected"), CALLS)
def test_same_everywhere(more_verbs, caller, run, home, tmp_path, monkeypatch, capfd, arguments, expected):
    """The same arguments have the same answer, or the same error, through all three doors."""

    async def served():
        async with caller() as call:
            app = build_app(call, Access(TOKEN), verbs=more_verbs)
            over_http = await send(app, "POST", "/v1/brew", body=arguments)
            server = build_server(call, verbs=more_verbs)
            async with Client(server, mode="2026-07-28") as client:
                by_agent = await client.call_tool("use_verb", {"verb": "brew", "arguments": arguments})
            return over_http.value, by_agent

    over_http, by_agent = run(served())
    for name, value in {"CONFIG": "c.toml", "DATA_DIR": "data", "CACHE_DIR": "cache"}.items():
        monkeypatch.setenv(f"VADEMECUM_{name}", str(tmp_path / value))
    monkeypatch.setenv("VADEMECUM_EMBEDDER", "none")
    monkeypatch.setenv("VADEMECUM_HOME", str(home))
    cli.run(["brew", *typed(arguments), "--json"])
    on_the_line = json.loads(capfd.readouterr().out)
    for_agent = by_agent.structured_content if by_agent.is_error else by_agent.structured_content["result"]
    wanted = dict(zip(("error", "message", "hint"), expected, strict=True)) if isinstance(expected, tuple) else expected
    assert on_the_line == over_http == for_agent == wanted


def test_told_everywhere(more_verbs, caller, run, capfd):
    """The new verb is in the help, in the document of HTTP and among those that MCP names, without another line of code."""

    async def served():
        async with caller() as call:
            document = await send(build_app(call, Access(TOKEN), verbs=more_verbs), "GET", "/openapi.json", headers=AUTH)
            async with Client(build_server(call, verbs=more_verbs), mode="2026-07-28") as client:
                return document.value, await client.call_tool("use_verb", {"verb": "nonsense"})

    document, wrong = run(served())
    cli.run(["--help"])
    assert "brew" in capfd.readouterr().out
    assert set(document["paths"]["/v1/brew"]) == {"get", "post"}
    assert "brew" in wrong.content[0].text


#: What is the person's own word, works on everything, or writes where the person says.
PERSON_ALONE = {
    "project rename", "settle", "sql", "reader show --usage", "reader queue", "reader queue --run", "reader queue --retry",
    "reader queue --drop", "reader show", "reader show --preview",
    "skills index", "skills discover", "skills watchlist --judge", "skills watchlist",
    "conversations --confirm", "capture", "process", "sync", "status --devices", "rebuild", "compact", "forget", "guard scan", "review-all",
    "sessions restore", "process --due", "sessions undo", "sessions exclude --undo", "reflect corpus", "checkpoint --sync",
    "idea research", "idea promote", "idea gc", "onboard", "import", "import --seed", "export",
    "sync --views", "jobs run", "jobs undo", "benefit",
    "lint --health", "heat", "questions", "fold", "cleanup", "gitignore", "shadow",
    "share", "unshare", "team spaces", "team join", "team sync", "team leave", "team members", "team invite", "team revoke",
    "team invite --rotate", "team audit",
    "team search", "team export",
}  # fmt: skip


def test_person_alone():
    """No agent can do these, whatever it is told to do."""
    assert {verb.name for verb in with_flags(VERBS) if not verb.agents} == PERSON_ALONE


def test_every_change_is_signed():
    """Whatever changes a memory's file says who did it: the verbs that do not take it never change one by themselves."""
    unsigned = {verb.name for verb in with_flags(VERBS) if verb.writes and not verb.signed}
    extracting = {
        "save-conversation",
        "save-conversation --close",
        "mark",
        "handoff",
        "checkpoint",
        "checkpoint --close",
        "sessions exclude",
    }
    signed = {
        "project rename",
        "settle",
        "review-all",
        "sessions undo",
        "forget",
        "guard scan",
        "idea promote",
        "idea gc",
        "onboard",
        "import",
        "import --seed",
        "jobs undo",
        "compact",
        "fold",
        "heat",
        "questions",
        "skills watchlist",
    }
    reading = {
        "questions",
        "sql",
        "cleanup",
        "gitignore",
        "shadow",
        "reader show --usage",
        "export",
        "reader queue",
        "reader show",
        "reader show --preview",
        "status --devices",
        "benefit",
        "lint --health",
        "team spaces",
        "team members",
        "team audit",
        "team search",
        "team export",
    }
    assert unsigned == (PERSON_ALONE - signed - reading) | extracting


@pytest.mark.parametrize(("kind", "good", "bad"), [
    ("text", ["x", ""], [1, ["x"], {}, "half \ud800"]),
    ("words", ["x y"], ["  ", 4]),
    ("number", [0, 7, 7.0], [True, 1.5, "7", -1, 10**9]),
    ("share", [0, 1, 0.5], [-0.1, 1.1, "0.5", False, float("nan")]),
    ("flag", [True, False], [0, "true"]),
    ("list", [[], ["a"]], ["a", [1], [["a"]], {"a": 1}]),
    ("date", ["2026-11-21", "2026-11-21T14:30:00+01:00", "0001-01-01T00:00:00+14:00", "2026-12-31T23:59:60Z"], ["soon", 5]),
    ("numbers", [[1, 2]], [[True], ["1"], 1]),
    ("object", [{}, {"a": 1}], [[], "x"]),
])  # fmt: skip
def test_types(kind, good, bad):
    """Each type takes what it means and nothing else; the refusal names the argument."""
    row = Verb("row", "", (Param("it", kind, "What it is."),), str, str)
    for value in good:
        checked(row, {"it": value})
    for value in bad:
        with pytest.raises(BadArgument, match=r"it |no date"):
            checked(row, {"it": value})
    with pytest.raises(BadArgument, match="row needs it"):
        checked(row, {})
    assert schema(row)["required"] == ["it"]


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("today", 0),
        ("Yesterday", 1),
        ("3d", 3),
        ("2w", 14),
        ("2 weeks ago", 14),
        ("1 day", 1),
        ("last week", 7),
        ("last month", 30),
    ],
)
def test_days_by_their_distance(monkeypatch, text, days):
    """A date may be a day by its distance: its beginning, in local time. The schema takes it too."""
    now = datetime(2026, 3, 10, 0, 30, tzinfo=UTC)
    east = timezone(timedelta(hours=2))
    monkeypatch.setattr(SystemClock, "now", lambda clock: now)
    monkeypatch.setattr(arguments, "_local_time", lambda moment: moment.astimezone(east))
    row = Verb("row", "", (Param("since", "date", "From when."),), str, str)
    assert checked(row, {"since": text})["since"] == datetime(2026, 3, 10, tzinfo=east) - timedelta(days=days)
    assert re.fullmatch(schema(row)["properties"]["since"]["anyOf"][2]["pattern"], text.lower())


@pytest.mark.parametrize("text", ["3x", "d", "week", "-3d", "yesterday noon"])
def test_other_words_are_no_dates(text):
    """What is refused names the forms that are taken."""
    row = Verb("row", "", (Param("since", "date", "From when."),), str, str)
    with pytest.raises(BadArgument) as refused:
        checked(row, {"since": text})
    assert all(form in refused.value.hint for form in ("yesterday", "3d", "2w", "last week"))


def test_text_forms():
    """What is typed or stands in an address becomes the same value as JSON gives."""
    assert from_text(Param("n", "number", ""), ["7"]) == 7
    assert from_text(Param("f", "flag", ""), ["True"]) is True
    assert from_text(Param("l", "list", ""), ["a, b", "c"]) == ["a", "b", "c"]
    assert from_text(Param("l", "list", "", commas=False), ["a, b", "c"]) == ["a, b", "c"]
    assert from_text(Param("o", "objects", ""), ['[{"a": 1}]']) == [{"a": 1}]
    for kind, text in (("number", "many"), ("flag", "perhaps"), ("object", "{"), ("share", "half")):
        with pytest.raises(BadArgument, match="it takes"):
            from_text(Param("it", kind, ""), [text])
