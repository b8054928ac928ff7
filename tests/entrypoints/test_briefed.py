"""What agents are shown by name, in what room there is, and what they find by name: walks through the doors."""

import json

import pytest

from vademecum.adapters.clock import SystemClock
from vademecum.domain.host import HookEvent
from vademecum.wiring import load_settings, open_memory


def test_briefed_by_name(person):
    """An agent is told its own entries beside the project's, and how its chat stopped; nobody else is (IN-26, VO-13)."""
    person("save", "decision", "Use SSE", "--body", "We stream by SSE.")
    for agent in ("dev", "pm"):
        said = [{"role": "user", "text": f"Where does {agent} stand?"}, {"role": "agent", "text": f"{agent} is at the parser."}]
        person("checkpoint", "--close", agent, "--messages", json.dumps(said), "--summary", f"{agent} wrote the lexer.")
        person("checkpoint", agent, "--messages", json.dumps(said))
    for words in (
        ["briefing"],
        ["bundle", "who wrote the lexer"],
        ["search", "who wrote the lexer"],
        ["list", "--kind", "handoff"],
    ):
        own = person(*words, "--agent", "dev", "--json")
        assert "dev" in own and "pm" not in own, words
    told = person("briefing", "--agent", "dev")
    assert "Use SSE" in told and "dev wrote the lexer" in told and "[agent]: dev is at the parser." in told
    assert "dev" not in person("briefing") and "Use SSE" in person("briefing")


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("By the way, my sister's cat is called Minka.", "Could you please tell me what my sister's cat is called?"),
        ("Übrigens heißt die Katze meiner Schwester Minka.", "Sag mir bitte, wie die Katze meiner Schwester heißt."),
        ("El gato de mi hermana se llama Minka.", "¿Podrías decirme cómo se llama el gato de mi hermana?"),
        ("Le chat de ma sœur s'appelle Minka.", "Rappelle-moi comment s'appelle le chat de ma sœur."),
        ("O gato da minha irmã chama-se Minka.", "Podes dizer-me como se chama o gato da minha irmã?"),
        ("我姐姐的猫叫Minka，今年三岁了。", "请告诉我我姐姐的猫叫什么名字。"),
    ],
    ids=["en", "de", "es", "fr", "pt", "zh"],
)
def test_asked_politely(person, said, asked):
    """A question in the form of an order is told what was said, as the question is; an order is not."""
    talk = [{"role": "user", "content": said}, {"role": "assistant", "content": "."}]
    person("save-conversation", "claude-code", "--messages", json.dumps(talk))
    assert f'user said: "{said}"' in person("bundle", asked)


def test_asked_again_politely(person):
    """What was told and not taken up rests in its project, and is told again to who asks for it, however politely."""
    person("save", "fact", "Parking spot", "--body", "My parking spot is B12.")
    asked = ("which parking spot is mine", "Check the parking spot", "Could you please tell me which parking spot is mine?")
    with open_memory(load_settings(), clock=SystemClock()) as memory:
        told = [
            "B12" in memory.recall.deliver(HookEvent("claude-code", "prompt", "UserPromptSubmit", f"s{at}", prompt=prompt)).text
            for at, prompt in enumerate(asked)
        ]
    assert told == [True, False, True]


def test_a_turn_that_was_told_as_a_memory(person):
    """MV-17: what a session was told as a memory is not told it again by the turn that it was taken from."""
    spot = "My parking spot is B12, behind the harbour."
    talk = [{"role": "user", "content": spot}, {"role": "assistant", "content": "Noted."}]
    person("save-conversation", "claude-code", "--messages", json.dumps(talk))
    person("save", "fact", "Parking spot", "--body", spot)
    asked = ("which parking spot is mine", "is my parking spot behind the harbour or elsewhere?")
    with open_memory(load_settings(), clock=SystemClock()) as memory:
        told = {
            session: [
                memory.recall.deliver(HookEvent("claude-code", "prompt", "UserPromptSubmit", session, prompt=prompt)).text
                for prompt in prompts
            ]
            for session, prompts in (("s1", asked), ("s2", asked[1:]))
        }
    assert spot in told["s1"][0]
    assert told["s1"][1] == ""
    assert spot in told["s2"][0]


def test_small_budget(person):
    """A budget that holds nothing says so, instead of that there is nothing (IN-27)."""
    person("save", "decision", "Use SSE", "--body", "We stream by SSE.")
    assert person("briefing", "--budget", "20").startswith("No room: 20 tokens are too few for any of 1 memory.")
    assert person("bundle", "SSE stream", "--budget", "5").startswith("No room: 5 tokens")


def test_told_once_in_a_session(person):
    """What a session was told is not told to it again, whoever asks for it by `vade bundle`; another session is told it (MV-17)."""
    person("save", "decision", "Use SSE", "--body", "We stream by SSE.")
    asked = ("bundle", "how do we stream, by SSE?", "--session")
    first, again, other = (person(*asked, f"session://codex/{name}") for name in ("one", "one", "two"))
    assert "We stream by SSE." in first and "We stream by SSE." in other
    assert "We stream by SSE." not in again


def test_replaced_asked_for_by_status(person):
    """Who asks for superseded memories gets them, and what took their place only without that (MV-21)."""
    person("save", "fact", "Staging database", "--body", "The staging server runs Postgres 16.")
    person(
        "save",
        "fact",
        "Database of staging",
        "--body",
        "The staging server runs Postgres 17.",
        "--supersedes",
        "Staging database",
    )
    before = person("recall", "which postgres runs on the staging server", "--status", "superseded")
    assert "Postgres 16" in before and "Postgres 17" not in before
    now = person("recall", "which postgres runs on the staging server")
    assert "Postgres 17" in now and "Postgres 16" not in now


def test_expired_in_its_place(person):
    """SW-32: what expired stands with its date behind what answers nearly as well today, and before what has little to do with it."""
    person("save", "fact", "Gym locker", "--body", "My gym locker is number 44.")
    person("save", "lesson", "Opening hours", "--body", "Shops near the station close at six and the gym at ten.")
    person("edit", "Gym locker", "--set", "valid_until=2020-01-01")
    asked = ("recall", "which gym locker is mine", "--json")
    titles = [hit["title"] for hit in json.loads(person(*asked))["hits"]]
    assert titles == ["Gym locker", "Opening hours"]
    person("save", "fact", "Locker of the gym", "--body", "My gym locker is number 51.")
    titles = [hit["title"] for hit in json.loads(person(*asked))["hits"]]
    assert titles == ["Locker of the gym", "Gym locker", "Opening hours"]


def test_styles_by_work(person, tmp_path):
    """A style for coding is told where a project is worked on, one for mails is not; each once (VO-10)."""
    person("style", "add", "coding", "Terse, no greetings.", "--examples", "Done.")
    person("style", "add", "email", "Warm, by first name.")
    assert "Terse" not in person("briefing")
    (tmp_path / ".git").mkdir()
    told = person("briefing")
    assert "- coding: **Terse, no greetings.** Examples: - Done (" in told
    assert "Warm" not in told


def test_found_by_thread(person):
    """VO-55: a conversation is found by the thread it was handed over with, in search, list and SQL, though no word of it names it."""
    thread = "thread-2026-11-22-abc123"
    said = json.dumps([{"role": "user", "content": "We fly to Kansai in May."}, {"role": "assistant", "content": "Noted."}])
    person("save-conversation", "claude-code", "--messages", said, "--thread-id", thread)
    assert "Kansai" in person("sessions", "search", "Kansai", "--thread", thread)
    assert "Kansai" in person("sessions", "list", "--tag", thread)
    assert thread in person("sql", "SELECT thread_id FROM thread_sessions")
    assert "Kansai" not in person("sessions", "search", "Kansai", "--thread", "thread-2026-11-22-ffffff")
    person("rebuild")
    assert "Kansai" in person("sessions", "list", "--tag", thread)


def test_keys(person):
    """SW-30: a memory is saved under a key, letters alone take the next free number, and a key is never given twice."""
    person("save", "decision", "Use zstd", "--body", "Zstd for the archive.", "--key", "KD03")
    assert "key: KD04" in person("save", "decision", "Use SSE", "--body", "We stream by SSE.", "--key", "kd")
    assert "Use zstd" in person("show", "KD03")
    assert "key: KD05" in person("save", "decision", "Use Redis", "--body", "Redis for the queue.", "--key", "KD")
    assert "confirmed" in person("save", "decision", "Use Redis", "--body", "Redis for the queue.", "--key", "AR01")
    assert "Use Redis" in person("show", "AR01") and "Use Redis" in person("show", "KD05")


def test_key_is_taken(vade, tmp_path):
    """A key that another memory bears is refused, with the next free one; what is no key is told."""
    vade("init", str(tmp_path / "notes"))
    vade("save", "decision", "Use zstd", "--key", "KD03")
    code, _, error = vade("save", "decision", "Use gzip", "--key", "kd03")
    assert code == 6 and "The next free one: KD04" in error
    assert vade("save", "decision", "Use gzip", "--key", "why not")[0] == 3


def test_addresses(vade, tmp_path):
    """VO-06, VO-08, SW-31: a note of the vault, a memory by its id and keys in a text are links that lead there."""
    for folder in (".obsidian", "Getting started"):
        (tmp_path / "Vault" / folder).mkdir(parents=True)
    (tmp_path / "Vault" / "Getting started" / "Create a vault.md").write_text("Press the button.\n")
    (tmp_path / "Vault" / "Home.md").write_text("The start.\n")
    vade("init", str(tmp_path / "Vault"))
    vade("sync")

    def person(*words):
        return vade(*words)[1]

    person("save", "incident", "Broker lost messages", "--body", "It compacted while a backup ran.", "--key", "COE01")
    person("save", "lesson", "Compact at night", "--body", "Nobody writes then.", "--key", "LL12")
    known = json.loads(person("show", "COE01", "--json"))["id"]
    text = "As of [COE01]. See LL12. Not `KD99`, nor KD98 or [a](b). [[Home]]"
    person("save", "fact", "Backups", "--body", text)
    for target in (
        "vault://Getting started/Create a vault.md",
        "vault://Getting%20started/Create%20a%20vault.md",
        f"fact:{known}",
    ):
        person("link", "Backups", "related", target)
    links = [(one["type"], one["title"], one["state"]) for one in json.loads(person("links", "Backups", "--json"))["results"]]
    assert ("mentions", "Broker lost messages", "known") in links and ("mentions", "Compact at night", "known") in links
    assert ("related", "Create a vault", "known") in links and ("related", "Broker lost messages", "known") in links
    assert [state for _, _, state in links] == ["known"] * len(links)
    rows = json.loads(person("sql", "SELECT external_uri, metadata FROM fact_edges WHERE to_fact_id IS NULL", "--json"))["rows"]
    assert ["vault://Home.md", "{}"] in rows
    assert [row for row in rows if "stale" in row[1]] == []


def test_audit_names_the_session(person, tmp_path):
    """VO-12: the audit says of which conversation a memory was made; what the person typed was made of none."""
    said = [
        {"role": "user", "content": "From now on always answer in British English."},
        {"role": "assistant", "content": "Yes."},
    ]
    person("save-conversation", "claude-code", "--messages", json.dumps(said))
    person("save", "fact", "Kettle", "--body", "Descale it.")
    rows = json.loads(person("sql", "SELECT operation, session_id FROM memory_audit ORDER BY timestamp", "--json"))["rows"]
    assert [one[0] for one in rows] == ["insert", "insert"]
    assert rows[0][1].startswith("session://claude-code/") and rows[1][1] is None


def test_cursor_works_in_a_folder(vade, tmp_path, monkeypatch):
    """X-43, IN-45: what was decided with Cursor belongs to the project whose folder its transcripts are named after."""
    for name in ("ingest", "other"):
        (tmp_path / name / ".git").mkdir(parents=True)
    slug = "-".join(part for part in str(tmp_path / "ingest").replace("_", "-").replace(".", "-").split("/") if part)
    path = tmp_path / ".cursor" / "projects" / slug / "agent-transcripts" / "a1" / "a1.jsonl"
    path.parent.mkdir(parents=True)
    said = ["Let us plan the archive.", "Fine.", "We decided to use zstd for the archive, because it is fast.", "Noted."]
    lines = [
        {"role": ("user", "assistant")[place % 2], "message": {"content": [{"type": "text", "text": text}]}}
        for place, text in enumerate(said)
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    vade("init", str(tmp_path / "notes"))
    vade("capture", str(path), "--mine")
    found = json.loads(vade("list", "--status", "active,inbox", "--json")[1])["results"]
    assert {one["project"] for one in found} == {"ingest"}
    monkeypatch.chdir(tmp_path / "other")
    vade("review-all", "approve")
    assert "zstd" not in vade("briefing")[1]
    monkeypatch.chdir(tmp_path / "ingest")
    assert "zstd" in vade("briefing")[1]


def test_recall_keeps_its_budget(person):
    """MV-22: `recall --budget` holds whole hits only and names the others; one that holds nothing says so."""
    for room in ("kitchen", "cellar", "attic"):
        person(
            "save", "fact", f"Lamp of the {room}", "--body", f"The lamp of the {room} takes a bulb of {len(room)} watts. " * 3
        )
    told = person("recall", "lamp bulb watts", "--budget", "120")
    assert told.count("watts") and "left out for lack of room: Lamp of the" in told
    assert "No room: 10 tokens" in person("recall", "lamp bulb watts", "--budget", "10")
    assert "left out" not in person("recall", "lamp bulb watts")


def test_facts_go_one_hop(person):
    """VO-19: with `--profile facts` what the best hits are linked with is told too, whatever its words, also where hits are many."""
    person("save", "fact", "Broker", "--body", "The broker of the shop keeps messages for a week.")
    person("save", "fact", "Retention of the audit", "--body", "Seven years by law.")
    for number in range(9):
        person("save", "fact", f"Shop {number}", "--body", f"The shop number {number} opens at {number}.")
    assert "Seven years" not in person("recall", "broker messages shop", "--profile", "facts")
    person("link", "Broker", "related", "Retention of the audit")
    assert "Seven years" in person("recall", "broker messages shop", "--profile", "facts")


def test_styles_of_the_composer(person, tmp_path):
    """VO-20: the composer tells a style for coding where a project is worked on, and one for mails when the question names them."""
    person("style", "add", "coding", "Terse, no greetings.")
    person("style", "add", "email", "Warm, by first name.")
    told = [person("bundle", words, "--profile", "composer") for words in ("fix the parser", "write an email")]
    assert [("Terse" in text, "Warm" in text) for text in told] == [(False, False), (False, True)]
    (tmp_path / ".git").mkdir()
    assert "Terse" in person("bundle", "fix the parser", "--profile", "composer")


def test_listed_without_an_index(person, tmp_path):
    """X-51: a list asked of an index that is gone, or was made by another version, is made anew from the files."""
    person("save", "fact", "Kettle", "--body", "Descale it.")
    for file in (tmp_path / "data").glob("index.db*"):
        file.unlink()
    assert "Kettle" in person("list")


def test_an_agents_own_at_a_prompt(person):
    """IN-07: what is an agent's own is told to that agent alone, at prompts as in the briefing; the person finds it all the same."""
    asked = "why do we use SSE for the stream"
    person("save", "decision", "Use SSE", "--body", "We use SSE for the stream since proxies break sockets.", "--agent", "dev")
    with open_memory(load_settings(), clock=SystemClock()) as memory:
        assert memory.recall.deliver(HookEvent("claude-code", "prompt", "UserPromptSubmit", "s1", prompt=asked)).text == ""
    told = {
        words: "proxies" in person(*words)
        for words in (("bundle", asked), *(("briefing", "--inject", "--agent", agent, asked) for agent in ("pm", "dev")))
    }
    assert list(told.values()) == [False, False, True]
    assert "proxies" in person("bundle", asked, "--agent", "dev")
    assert "proxies" in person("recall", asked)


def test_nothing_comes_along_with_what_is_left_out(person):
    """What is linked with a memory that the budget does not hold is not told without it."""
    said = "The boathouse door sticks in winter; lift it by the handle, then push. " * 6
    person("save", "fact", "Boathouse door", "--body", said)
    person("save", "fact", "Oil can", "--body", "It stands on the shelf.")
    person("link", "Boathouse door", "related", "Oil can")
    asked = "how do I open the boathouse door that sticks"
    assert "on the shelf" in person("bundle", asked, "--budget", "400")
    assert "on the shelf" not in person("bundle", asked, "--budget", "70")
