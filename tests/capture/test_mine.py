"""What is worth remembering of a session, and all that is not."""

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vademecum.capture.mine import EXCERPT_CHARS, TEXT_MAX_CHARS, TITLE_MAX_CHARS, mine, settle
from vademecum.capture.patterns import PATTERNS
from vademecum.model.kinds import KINDS
from vademecum.model.session import Candidate, Session, Turn

ERROR = "sqlite3.OperationalError: database is locked"


def session(*said: tuple[str, str], sidechain: bool = False) -> Session:
    time = datetime(2026, 10, 5, 9, tzinfo=UTC)
    turns = [Turn(f"t{n}", role, text, time=time, sidechain=sidechain) for n, (role, text) in enumerate(said)]  # type: ignore[arg-type]
    return Session("plain", "s1", "/s1.jsonl", tuple(turns), project="larder")


def mined(text: str, role: str = "user") -> list[Candidate]:
    return list(mine(session(("tool", ERROR), (role, text))))


#: What a person says -> pattern that finds it. For each pattern at least one.
SAID = [
    ("We moved everything from Fly to a small VPS because the bill doubled.", "en.decision.moved-from"),
    ("I switched from pip to uv.", "en.decision.moved-from"),
    ("We moved off Fly, it was too expensive.", "en.decision.moved-off"),
    ("We dropped Redis in favour of a table in SQLite.", "en.decision.dropped"),
    ("We no longer use Docker for the server.", "en.decision.no-longer"),
    ("Actually, let's use Postgres instead of SQLite.", "en.decision.instead"),
    ("I changed my mind about the sidebar: the menu goes on top.", "en.decision.mind"),
    ("I now prefer short tests over long ones", "en.preference.prefer-now"),
    ("I no longer want emojis in commit messages, plain words are enough.", "en.preference.no-more"),
    ("Forget what I said about tabs: spaces everywhere.", "en.preference.forget"),
    ("Please remember that the staging server sleeps at night.", "en.fact.remember"),
    ("We decided to keep recipes as Markdown files.", "en.decision.decided"),
    ("Decision: one SQLite file per household.", "en.decision.decision"),
    ("We settled on FastAPI for the server.", "en.decision.settled"),
    ("We're going with server-rendered pages.", "en.decision.going-with"),
    ("Let's go with Litestream for backups.", "en.decision.lets"),
    ("Let's store prices in cents because floats lied to us.", "en.decision.lets-reason"),
    ("We'll use HTMX for the forms.", "en.decision.we-use"),
    ("I prefer small commits with one purpose.", "en.preference.prefer"),
    ("My favourite editor is Helix.", "en.preference.my-preference"),
    ("I can't stand trailing summaries in answers.", "en.preference.dislike"),
    ("I always want the failing test first.", "en.preference.like"),
    ("From now on, write tests before the code.", "en.preference.from-now-on"),
    ("Use British spelling from now on.", "en.preference.from-now-on"),
    ("Always run the linter before committing.", "en.preference.always"),
    ("Please never push to main directly.", "en.preference.always"),
    ("Before you commit, always run make check.", "en.preference.when-always"),
    ("Whenever you add a migration, write a test for it.", "en.preference.whenever"),
    ("Commit messages should never mention the agent.", "en.preference.should-always"),
    ("Keep your answers under ten lines.", "en.preference.keep-generic"),
    ("Stop apologizing for every mistake.", "en.preference.stop"),
    ("I told you to always use pathlib for paths.", "en.preference.told"),
    ("Use pytest fixtures instead of setUp methods.", "en.preference.use-not"),
    ("Don't put emojis in commit messages.", "en.preference.dont-any"),
    ("Don't use abbreviations like qty and amt.", "en.preference.dont"),
    ("The fix was to open the database with WAL and a busy timeout.", "en.fix.fix-was"),
    ("The problem was that two workers wrote to the same file.", "en.fix.cause-was"),
    ("Turns out the database was opened twice.", "en.fix.turned-out"),
    ("The locked database was fixed by setting a busy timeout.", "en.fix.fixed-by"),
    ("Workaround: restart the worker after every deploy.", "en.fix.workaround"),
    ("Lesson learned: never test backups with the live database.", "en.lesson.lesson"),
    ("We learned that Fly stops idle machines at night.", "en.lesson.learned"),
    ("My name is Ana and I cook a lot.", "en.identity.name"),
    ("I'm a backend developer with ten years of Go.", "en.identity.trade"),
    ("I work at a small bakery in Lisbon.", "en.identity.work"),
    ("I live in Lisbon.", "en.identity.live"),
    ("My timezone is Europe/Lisbon.", "en.fact.mine"),
    ("Não usamos mais Docker, era lento.", "pt.decision.no-more"),
    ("Mudamos do Heroku para um servidor próprio.", "pt.decision.moved"),
    ("Lembre-se de que o servidor reinicia à noite.", "pt.fact.remember"),
    ("Decidimos guardar as receitas em Markdown.", "pt.decision.decided"),
    ("Vamos usar SQLite porque basta.", "pt.decision.will-use"),
    ("Decisão: um ficheiro por casa.", "pt.decision.decision"),
    ("Prefiro funções curtas e nomes longos.", "pt.preference.prefer"),
    ("Sempre escreva os testes primeiro.", "pt.preference.always"),
    ("De agora em diante, responda em português.", "pt.preference.from-now-on"),
    ("O problema era o arquivo aberto duas vezes.", "pt.fix.cause-was"),
    ("Foi resolvido com um tempo de espera maior.", "pt.fix.fixed-by"),
    ("Aprendi que o servidor dorme à noite.", "pt.lesson.lesson"),
    ("Meu nome é Ana Silva.", "pt.identity.name"),
    ("Moro em Lisboa há anos.", "pt.identity.live"),
    ("Wir benutzen Docker nicht mehr.", "de.decision.no-more"),
    ("Wir sind von Heroku auf einen eigenen Server umgestiegen.", "de.decision.moved"),
    ("Merk dir, dass der Server nachts schläft.", "de.fact.remember"),
    ("Wir haben uns für SQLite entschieden.", "de.decision.decided"),
    ("Wir bleiben bei Postgres, weil es reicht.", "de.decision.take"),
    ("Entscheidung: eine Datei je Haushalt.", "de.decision.decision"),
    ("Ich bevorzuge kurze Funktionen.", "de.preference.prefer"),
    ("Bitte immer zuerst die Tests schreiben.", "de.preference.always"),
    ("Schreib Commits immer auf Englisch.", "de.preference.please-always"),
    ("Ab jetzt antworte bitte auf Deutsch.", "de.preference.from-now-on"),
    ("Das Problem war eine doppelt geöffnete Datei.", "de.fix.cause-was"),
    ("Der Fehler ist behoben durch ein längeres Warten.", "de.fix.fixed-by"),
    ("Gelernt: Sicherungen nie am echten System testen.", "de.lesson.lesson"),
    ("Ich heiße Ana Weber.", "de.identity.name"),
    ("Ich wohne in Hamburg an der Elbe.", "de.identity.live"),
    ("Ya no usamos Docker, era lento.", "es.decision.no-more"),
    ("Migramos de Heroku a un servidor propio.", "es.decision.moved"),
    ("Recuerda que el servidor duerme de noche.", "es.fact.remember"),
    ("Hemos decidido guardar las recetas en Markdown.", "es.decision.decided"),
    ("Vamos a usar SQLite porque basta.", "es.decision.will-use"),
    ("Decisión: un archivo por casa.", "es.decision.decision"),
    ("Prefiero funciones cortas y nombres largos.", "es.preference.prefer"),
    ("Nunca uses abreviaturas en los nombres.", "es.preference.always"),
    ("De ahora en adelante, responde en español.", "es.preference.from-now-on"),
    ("El problema era el archivo abierto dos veces.", "es.fix.cause-was"),
    ("Lo arreglé cambiando el tiempo de espera.", "es.fix.fixed-by"),
    ("Aprendimos que el servidor duerme de noche.", "es.lesson.lesson"),
    ("Me llamo Ana García.", "es.identity.name"),
    ("Vivo en Sevilla desde siempre.", "es.identity.live"),
]

#: More ways of saying it, and Chinese.
SAID += [
    ("We stopped using Redis for the limiter, the gateway does it.", "en.decision.stopped"),
    ("We're taking Typesense instead of Meilisearch because it does geo search.", "en.decision.taking-instead"),
    ("Jenkins was replaced by a plain cron job.", "en.decision.replaced-by"),
    ("The alarm sounds at six, so please keep that in mind.", "en.fact.keep-in-mind"),
    ("It was agreed that every dish has one photo.", "en.decision.agreed"),
    ("We use Postgres for the map tiles.", "en.fact.we-use"),
    ("We never deploy on Fridays.", "en.decision.we-always"),
    ("I'd rather read plain SQL than an ORM.", "en.preference.rather"),
    ("Subjects in the imperative please, that's how we do it here.", "en.preference.how-we"),
    ("It's important to me that examples run as they stand.", "en.preference.important"),
    ("Show the diff before you apply it, every time.", "en.preference.trailing-always"),
    ("When you add an endpoint, write its documentation.", "en.preference.when-you"),
    ("I'm allergic to peanuts.", "en.identity.body"),
    ("Deixámos de usar CSV, era lento.", "pt.decision.left"),
    ("Trocamos o Redis pelo SQLite no servidor.", "pt.decision.swapped"),
    ("Ficou combinado que cada prato tem uma foto.", "pt.decision.agreed"),
    ("Antes de cada deploy roda os testes, sempre.", "pt.preference.trailing-always"),
    ("Não envies mensagens sem perguntar.", "pt.preference.dont"),
    ("Sou jardineira há dez anos.", "pt.identity.trade"),
    ("Wir führen Pflanzen nicht mehr als CSV, sondern in SQLite.", "de.decision.but"),
    ("Aufträge liegen nicht mehr in Ordnern, wir nutzen SQLite.", "de.decision.no-longer"),
    ("Wir haben Jenkins durch einen Cronjob ersetzt.", "de.decision.replaced"),
    ("Wir sind auf SQLite umgestiegen.", "de.decision.moved-to"),
    ("Wir haben uns darauf geeinigt, jedes Gericht einzeln abzulegen.", "de.decision.agreed"),
    ("Mir ist wichtig, dass Beispiele laufen.", "de.preference.important"),
    ("Ich bin Gärtnerin in einer Baumschule.", "de.identity.trade"),
    ("Dejamos Django, el panel usa FastAPI.", "es.decision.left"),
    ("Cambiamos Redis por SQLite en el servidor.", "es.decision.swapped"),
    ("Las recetas ya no van en YAML, van en SQLite.", "es.decision.no-longer-in"),
    ("Quedó acordado que cada plato lleva una foto.", "es.decision.agreed"),
    ("No borres archivos sin preguntar.", "es.preference.dont"),
    ("Antes de cada cambio ejecuta las pruebas, siempre.", "es.preference.trailing-always"),
    ("Soy jardinero desde hace diez años.", "es.identity.trade"),
    ("我们不再用Docker了，太慢。", "zh.decision.no-more"),
    ("我们从Heroku换到了自己的服务器。", "zh.decision.moved-from"),
    ("我们改用SQLite，一个文件就够了。", "zh.decision.moved"),
    ("记住：服务器晚上会休眠。", "zh.fact.remember"),
    ("我们决定把菜谱存成Markdown。", "zh.decision.decided"),
    ("我们选择了SQLite，因为够用。", "zh.decision.chose"),
    ("结论：每家一个文件。", "zh.decision.decision"),
    ("以后回答都用中文。", "zh.preference.from-now-on"),
    ("我更喜欢短一点的函数。", "zh.preference.prefer"),
    ("务必先写测试再写代码。", "zh.preference.always"),
    ("不要用缩写，名字写完整。", "zh.preference.dont"),
    ("问题是文件被打开了两次。", "zh.fix.cause-was"),
    ("把等待时间改长之后就正常了。", "zh.fix.fixed-by"),
    ("教训：备份要在真机上试。", "zh.lesson.lesson"),
    ("我叫小林，请多关照。", "zh.identity.name"),
    ("我是一名园艺师。", "zh.identity.trade"),
    ("我住在杭州，离西湖不远。", "zh.identity.live"),
]

#: The same for agents, who are believed less.
AGENT_SAID = [
    ("I chose SQLite over Postgres because one file is enough here.", "en.decision.agent-chose"),
    ("Gotcha: the test client keeps the connection open.", "en.lesson.agent-lesson"),
    ("The root cause was a second connection that never closed.", "en.fix.cause-was"),
]


@pytest.mark.parametrize(("text", "pattern"), SAID)
def test_found(text, pattern):
    """What a person says outright is found, by the pattern made for it."""
    (candidate,) = mined(text)
    assert candidate.rationale.split(":")[0] == pattern
    assert candidate.kind == pattern.split(".")[1]
    assert candidate.source == "session://plain/s1"
    assert candidate.span[1] == "t1"
    assert candidate.project == "larder"


@pytest.mark.parametrize(("text", "pattern"), AGENT_SAID)
def test_agent(text, pattern):
    """What an agent decided or found out is a proposal, never taken for granted."""
    (candidate,) = mined(text, role="agent")
    assert candidate.rationale.split(":")[0] == pattern
    assert candidate.confidence != "high"


def test_every_pattern():
    """Each pattern is shown to find something, and belongs to a kind of memory."""
    assert {pattern.name for pattern in PATTERNS} == {name for _, name in SAID + AGENT_SAID}
    assert {pattern.kind for pattern in PATTERNS} <= set(KINDS)


@pytest.mark.parametrize(
    "text",
    [
        "Should we always run the linter?",
        "What if we moved from Fly to a VPS?",
        "Maybe we decided to keep it, I forgot.",
        "If we switched from pip to uv, builds would be faster.",
        "Do you prefer small commits or large ones?",
        "Can you always run the tests first?",
        "Let's go with option 2.",
        "Let's use that instead.",
        "I prefer the second one.",
        "I like it.",
        "Always happy to help!",
        "Never heard of it.",
        "Don't use the cache for now.",
        "For this commit, never mind the linter.",
        "Always run the linter in this session.",
        "Fix the bug in app.py and push.",
        "do it",
        "I want you to add a page for recipes.",
        "no, the button should be blue",
        'The sign said "always wash your hands before cooking", so I did.',
        "> I always prefer tabs over spaces",
        "```\n# always use tabs\nI prefer tabs over spaces.\n```",
        "    always use tabs in this block",
        "2026-10-05 09:00:00 INFO we decided to keep the connection open",
        "ERROR: never use the root account",
        "<notes>I prefer tabs over spaces.</notes>",
        "<private>I live in Lisbon.</private>",
        "/remember we decided to use tabs",
        "Implement the following plan:\n\n# Plan\n\nWe decided to use SQLite.\n\n## Steps\n\n- Always use WAL.",
        "# Notes\n\nWe decided to use SQLite.\n\n## More\n\nAlways use WAL mode.",
        "We decided to use SQLite. " + "Then there was a long story about it. " * 80,
        "The fix is pushed as fab6fe66.",
        "The function always returns None when the list is empty.",
        "It never writes to disk.",
        "I'm a bit lost.",
        "I work on the second part now.",
        "My tests are failing.",
        "My colleague always wants tabs, we decided nothing.",
        "The manual says: always use the root account.",
        "Nunca entendo este erro quando aparece.",
        "O cliente disse, decidimos usar azul.",
        "Ich bin sicher, dass es läuft.",
        "Angenommen, wir haben uns für Rust entschieden.",
        "Nunca funciona en mi máquina.",
        "Supongamos que elegimos Go para el servidor.",
        "如果我们决定换成Rust，要多久？",
        "我是说这个函数太慢。",
        "这次先用root账号，装完就换。",
        "他说我们决定用Go。",
    ],
)  # fmt: skip
def test_silence(text):
    """X-23: questions, guesses, quotations, code, logs, pasted documents and orders for the task at hand are no memories."""
    assert mined(text) == []


@pytest.mark.parametrize("role", ["tool", "note", "injected"])
def test_not_speech(role):
    """X-23: tool output and our own injected text are never mined."""
    assert mine(session((role, "We decided to keep recipes as Markdown files. I prefer small commits."))) == ()


def test_sub_agents():
    """X-23: what is said to or by a sub-agent is not the person's word."""
    assert mine(session(("user", "We decided to keep recipes as Markdown."), sidechain=True)) == ()


def test_agent_preferences():
    """Only the person can tell what they prefer and who they are."""
    assert mined("I prefer small commits. My name is Claude. Always run the tests.", role="agent") == []


def test_self_talk():
    """An agent that talks to itself while it works says nothing to remember."""
    for text in (
        "Let me check why we decided to use SQLite.",
        "I'll always run the tests first.",
        "Now the problem was clear to me.",
    ):
        assert mined(text, role="agent") == []


def test_leading_words():
    """The small words around a sentence are not part of the memory."""
    (candidate,) = mined("ok, also btw we decided to keep recipes as Markdown files, can you adapt the importer?") or [None]
    assert candidate.text == "We decided to keep recipes as Markdown files."
    (kept,) = mined("No longer matters what I said: we no longer use Docker.\nWe no longer use Docker.")
    assert kept.text == "We no longer use Docker."


def test_hard_wrapped():
    """A sentence that goes over several lines is one sentence."""
    (candidate,) = mined("We decided to keep recipes\nas Markdown files.")
    assert candidate.text == "We decided to keep recipes as Markdown files."


def test_reason():
    """A reason that follows in a sentence of its own belongs to the decision."""
    (candidate,) = mined("Let's go with Litestream for backups. Because it streams every change, nothing is lost.")
    assert candidate.text == "Let's go with Litestream for backups. Because it streams every change, nothing is lost."
    assert candidate.confidence == "high"


def test_ladder():
    """A pattern that only suggests is low when met once or twice, medium when met three times."""
    said = ("user", "Don't use abbreviations like qty and amt.")
    assert [candidate.confidence for candidate in mine(session(said))] == ["low"]
    (twice,) = mine(session(said, said))
    assert (twice.confidence, twice.occurrences) == ("low", 2)
    (often,) = mine(session(said, said, said))
    assert (often.confidence, often.occurrences) == ("medium", 3)


def test_fix_names_its_error():
    """A fix is remembered with the exact error it cured, so that the error finds it."""
    found = mine(
        session(
            ("tool", "ModuleNotFoundError: No module named 'larder'"),
            ("tool", ERROR),
            ("agent", "I see."),
            ("user", "The problem was that two workers wrote to the database at once."),
        )
    )
    assert found[0].text == f"{ERROR}: The problem was that two workers wrote to the database at once."
    assert (found[0].confidence, found[0].span) == ("high", ("t1", "t3"))


def test_fix_without_error():
    """Without an error a supposed cause is talk."""
    assert mine(session(("user", "The problem was that two workers wrote at once."))) == ()


@pytest.mark.parametrize(
    ("text", "replaces"),
    [
        ("We moved everything from Fly to a small VPS because the bill doubled.", "Fly"),
        ("Actually let's use Postgres instead of SQLite.", "SQLite"),
        ("We no longer use Docker for the server.", "Docker"),
        ("We moved off Fly, it was too expensive.", "Fly"),
        ("I no longer want emojis in commit messages, plain words are enough.", "emojis in commit messages"),
    ],
)
def test_replaces(text, replaces):
    """X-07: a changed mind names what it does away with, so that the old memory can be superseded."""
    (candidate,) = mined(text)
    assert candidate.replaces == replaces
    assert f'replaces "{replaces}"' in candidate.rationale


def test_once_in_a_batch():
    """The same thing said twice in a session, or in two, is one candidate."""
    first = mine(session(("user", "We decided to keep recipes as Markdown files.")))
    again = mine(session(("user", "so, we decided to keep recipes as markdown files!")))
    (one,) = settle([*first, *again])
    assert one.occurrences == 2


WORDS = "we decided to always use the I prefer because database error fixed by é 日本 from Fly to . ? , `x`"


@settings(deadline=None, max_examples=300)
@given(st.lists(st.sampled_from([*WORDS.split(), "\n"]), max_size=120).map(" ".join), st.sampled_from(["user", "agent"]))
def test_shape(text, role):
    """Whatever is said, a candidate is short, whole words, and shows where it comes from."""
    for candidate in mined(f"We decided to use {text}", role):
        assert 0 < len(candidate.text) <= TEXT_MAX_CHARS
        assert 0 < len(candidate.title) <= TITLE_MAX_CHARS
        assert "\n" not in candidate.text + candidate.title + candidate.excerpt
        assert candidate.text.removesuffix("…").rstrip(".").split()[-1].lower() in text.lower() + "use" + ERROR.lower()
        assert len(candidate.excerpt) <= len(text) + 2 * EXCERPT_CHARS + 100
        assert candidate.rationale
