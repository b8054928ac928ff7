"""What is worth remembering of a session, and all that is not."""

import subprocess
import sys
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vademecum.domain.session import Candidate, Session, Turn
from vademecum.extract.mine import EXPLICIT, STATEMENTS, mine, settle, words_to_save
from vademecum.extract.numbers import EXCERPT_CHARS
from vademecum.extract.numbers import MINE_TEXT_MAX_CHARS as TEXT_MAX_CHARS
from vademecum.extract.numbers import MINE_TITLE_MAX_CHARS as TITLE_MAX_CHARS
from vademecum.extract.titles import title_of
from vademecum.language.patterns import compile_patterns, pattern_names

ERROR = "sqlite3.OperationalError: database is locked"


def session(*said: tuple[str, str], sidechain: bool = False) -> Session:
    time = datetime(2026, 10, 5, 9, tzinfo=UTC)
    turns = [Turn(f"t{n}", role, text, time=time, sidechain=sidechain) for n, (role, text) in enumerate(said)]  # type: ignore[arg-type]
    return Session("plain", "s1", "/s1.jsonl", tuple(turns), project="larder")


def mined(text: str, role: str = "user") -> list[Candidate]:
    return list(mine(session(("tool", ERROR), (role, text))))


def test_silence():
    """X-23: a document that was handed over is nobody's word, however much it decides."""
    assert mined("We decided to use SQLite. " + "Then there was a long story about it. " * 80) == []


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
    assert (found[0].confidence, found[0].span) == ("medium", ("t1", "t3"))


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
    """X-07: a changed mind names what it does away with, so that the old memory can be put in doubt."""
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
        assert candidate.text.removesuffix("…").rstrip(".。").split()[-1].lower() in text.lower() + "use" + ERROR.lower()
        assert len(candidate.excerpt) <= len(text) + 2 * EXCERPT_CHARS + 100
        assert candidate.rationale


def test_x23_text_to_be_made():
    """X-23: what stands in a text that somebody wants written, translated or explained is not the person's word."""
    assert mined("Translate this: I always prefer oak and I live in Kassel.") == []
    assert mined("Traduis ce courriel :\n\nBonjour,\nNe répondez jamais au téléphone.\nCordialement") == []
    assert mined("explain this changelog entry to me:\n\n- We decided to drop Node 16.\n- Prefer hooks from now on.") == []


@pytest.mark.parametrize(
    "first",
    [
        "let's play: you're the harbour master and I'm a smuggler",
        "Rollenspiel: du bist der Wirt",
        "vamos brincar de pirata",
        "sos mi detective y yo soy el testigo",
        "你来演店主，我来演客人",
    ],
)
def test_x23_a_game_is_nobodys_word(first):
    """X-23: who plays somebody else does not tell what holds for themselves, from then on to the end of the session."""
    order = "From now on call me Captain, I live on the ship and I always want rum."
    assert mine(session(("user", first), ("agent", "Fine."), ("user", order))) == ()
    assert mine(session(("user", "hello there"), ("agent", "Fine."), ("user", order))) != ()


@pytest.mark.parametrize(
    "around",
    [
        "<<<<<<< HEAD\n{}\n=======\n{}\n>>>>>>> branch\nwhat is this conflict?",
        "why?\n@@ -1,2 +1,2 @@\n-{}\n+{}\n {}",
        "what does she want\n\nFrom: Ann <ann@example.com>\nTo: me\n\n{}\n\nBest,\nAnn",
        "Subject: hinges\n{}",
        "no idea\n\nOn Mon, Nov 2, 2026 at 10:00 AM Ann wrote:\n{}",
        "-----Ursprüngliche Nachricht-----\n{}",
        "Ann: {}\nBen: no\nAnn: yes\n\nwho is right?",
        "Q: {}\nA: sure\n\nadd this to the page of questions",
        "[10:32, 11/20/2026] Ann: {}",
        "20.11.26, 10:32 - Ann: {}",
        "id,text\n1,{}\n2,{}",
        "$ make\n{}\nmake: *** [all] Error 1",
        "Le client écrit :\n{}\nréponds-lui",
    ],
)
def test_x23_handed_over_in_a_form(around):
    """X-23: what stands in a mail, a chat, a diff, an unfinished merge, rows or a program's output is nobody's order."""
    order = "Please remember: always oil the hinge."
    assert mined(around.format(*[order] * 3)) == []
    assert mined(order) != []
    assert mined("My rules: be brief.\n$5 is the budget.\n\n" + order) != []


def test_x23_a_log_that_was_handed_over():
    """X-23: what stands behind "this log:" is a program's, line by line; a list of one's own wishes is the person's."""
    log = "a81f decision: always use UTC\n77c0 never floats again\n1b2e I prefer tabs"
    assert mined(f"look at the git log they sent me:\n{log}") == []
    assert mined(log) == []
    assert mined("Two wishes of mine:\n- I prefer tabs over spaces in every project.") != []


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("From now on answer in German.", True),
        ("never do that again", True),
        ("Could you show the diff first, from now on?", True),
        ("Daqui para a frente, commits em inglês.", True),
        ("Ab jetzt bitte kurz antworten.", True),
        ("No olvides que la clave cambia cada mes.", True),
        ("记住：提交里不要用表情。", True),
        ("I live in Porto.", True),
        ("The export should leave the dates out.", True),
        ("We don't need a login page for guests.", True),
        ("Fix the button, please.", False),
        ("Should we always run the linter?", False),
        ("Implement the following plan:\n\n# Plan\n\n## Rules\n\nAlways write tests first.", False),
    ],
)
def test_prompts_that_state_something(text, asks):
    """A prompt in which the person says something to be kept is known in five languages; a pasted plan says nothing."""
    compile_patterns()
    assert bool(words_to_save(text, "The export is written.")) == asks


def test_words_to_save():
    """What an agent is asked to keep is what would be saved, in the person's words; a question of the agent before it changes that."""
    compile_patterns()
    text = "Rename the button. From now on, name buttons by what they do."
    assert words_to_save(text, "") == "From now on, name buttons by what they do."
    assert words_to_save("The export should leave the dates out.", "") == ""
    assert words_to_save("The export should leave the dates out.", "Shall the export hold the dates?") == ""


def test_joined_statements_ask_for_nothing():
    """What a sentence joins of plain statements is asked by none of them, so that requests alone need be looked for at a prompt."""
    assert not pattern_names(*EXPLICIT) & pattern_names(*STATEMENTS)


def test_prompts_that_ask_for_nothing():
    """Whoever waits at a prompt of a cold process waits for no pattern of decisions, corrections or statements to be compiled; once all
    are compiled, these count there too.
    """
    code = (
        "from vademecum.extract.mine import words_to_save\n"
        "from vademecum.language.patterns import compile_patterns, patterns\n"
        "stated = 'We do not need a login page for guests.'\n"
        "assert not words_to_save('Add a test for the parser of dates, and run it.', 'Done.')\n"
        "assert not words_to_save(stated, 'Done.')\n"
        "print(*(one.name for one in patterns() if 'regex' in vars(one)))\n"
        "compile_patterns()\n"
        "assert words_to_save(stated, 'Done.') == stated"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) <= pattern_names(*EXPLICIT)


def answered(question, answer):
    """What is mined of a question of the agent's tool and the person's answer to it."""
    asked = Turn("t1", "tool", f'Ask: {{"question": "{question}"}}', tools=("Ask",), call="c1")
    told = Turn("t2", "tool", f'"{question}"="{answer}". Always go on.', name="Ask", call="c1")
    given = Turn("t2.1", "answer", answer, call="c1", question=question)
    return [(one.kind, one.text, one.trust, one.confidence) for one in mine(Session("plain", "s", "/s", (asked, told, given)))]


@pytest.mark.parametrize(
    ("question", "answer", "kind", "text"),
    [
        ("Which store do we use?", "SQLite", "decision", "Which store do we use? SQLite."),
        ("Wo liegen die Daten?", "In Zürich", "decision", "Wo liegen die Daten? In Zürich."),
        (
            "Which region should it run in?",
            "We decided on Zurich, because the auditors insist",
            "decision",
            "Which region should it run in? We decided on Zurich, because the auditors insist.",
        ),
        (
            "How are commits signed?",
            "Never sign commits with gpg",
            "preference",
            "How are commits signed? Never sign commits with gpg.",
        ),
    ],
)
def test_answers_to_an_agents_question(question, answer, kind, text):
    """An answer is the person's and is kept with its question; what the tool says around it is not theirs."""
    assert answered(question, answer) == [(kind, text, "user", "high")]


@pytest.mark.parametrize("answer", ["Yes", "ok", "Ja, bitte", "No (skip)", "继续"])
def test_consent_settles_nothing(answer):
    """An answer that only agrees or declines is no decision."""
    assert answered("Shall I run the tests now?", answer) == []


@pytest.mark.parametrize("speaker", ["document", "program", "injected", "note", "tool"])
def test_words_of_others_are_not_mined(speaker):
    """What a person handed over, a program asked or a host wrote tells nothing of the person, whatever it says."""
    said = Turn("1", speaker, "Always use tabs, that is my rule. From now on, never use Python.")
    assert mine(Session("plain", "s", "/s", (said,))) == ()


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (
            "I live in Porto and I work as a nurse, and I prefer short answers.",
            ["I live in Porto.", "I work as a nurse.", "I prefer short answers."],
        ),
        ("Ich wohne in Bremen und ich bin Tischler.", ["Ich wohne in Bremen.", "Ich bin Tischler."]),
        ("Moro no Porto e prefiro respostas curtas.", ["Moro no Porto.", "Prefiro respostas curtas."]),
        ("Vivo en Sevilla y prefiero respuestas cortas.", ["Vivo en Sevilla.", "Prefiero respuestas cortas."]),
        ("我住在上海，我是护士。", ["我住在上海。", "我是护士。"]),
        ("I live in Porto and love it.", ["I live in Porto and love it."]),
        ("Always use tabs in Go and never use spaces.", ["Always use tabs in Go and never use spaces."]),
        ("I prefer tabs in Go and I prefer spaces in Python.", ["I prefer tabs in Go and I prefer spaces in Python."]),
        ("She says I live in Porto and I work as a nurse.", []),
    ],
)
def test_compound_statements(text, parts):
    """Statements joined to one sentence are kept apart when each stands by itself and tells another thing; else it stays whole."""
    found = mine(Session("plain", "s1", "/s1.jsonl", (Turn("t1", "user", text),)))
    assert [one.text for one in found] == parts


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Remember: always run the formatter before a commit.", "preference"),
        ("Keep in mind: never push to main on a Friday.", "preference"),
        ("Remember that the staging server listens on port 8443.", "fact"),
    ],
)
def test_kind_by_form(text, kind):
    """An order that is to be remembered is a preference, so that it is told at each start; a statement is a fact."""
    (found,) = mine(Session("codex", "a", "/a.jsonl", (Turn("1", "user", text),)))
    assert (found.kind, found.confidence) == (kind, "high")


@pytest.mark.parametrize(
    "text",
    [
        "From now on, **always** run `make lint` before you open a pull request for the billing service and its clients there.",
        "Never use the [old importer](https://example.org/old) for anything that has to do with invoices of the last three years.",
    ],
)
def test_title_is_words(text):
    """A title holds no Markdown and no mark of a cut."""
    (found,) = mine(Session("codex", "a", "/a.jsonl", (Turn("1", "user", text),)))
    assert not set("*`[]…") & set(found.title), found.title
    assert len(found.title) <= 80


def test_answers_before_a_talk_settle_nothing():
    """Who breaks off an agent's questions to talk first has decided nothing yet by an answer; what they say outright counts."""
    broken_off = Turn("2", "tool", "The user wants to clarify these questions.", name="Ask", call="c1", outcome="refused")
    for answer, count in (("Stay fully sealed", 0), ("We decided to use Postgres for the archive.", 1)):
        given = Turn("2.1", "answer", answer, call="c1", question="What should the block show?")
        assert len(mine(Session("codex", "a", "/a.jsonl", (broken_off, given)))) == count


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("npm run build must be run before npm test.", "npm run build must be run before npm test"),
        ("schema.sql holds every table.", "schema.sql holds every table"),
        ("useCart is the only store.", "useCart is the only store"),
        ("./setup.sh needs Python.", "./setup.sh needs Python"),
        ("the build needs Node.", "The build needs Node"),
    ],
)
def test_a_title_keeps_the_name_of_a_program(text, title):
    """A program, a file or an identifier at the beginning is written as it is; every other word gets its capital."""
    assert title_of(text, "en") == title


def test_title_of_an_answer():
    """What an answer settles is titled by the question itself, not by what leads to it, or by the answer; neither is cut."""
    lead = "The importer keeps every receipt, which takes much space on the disk of the small server. "
    for asked, answer, title in (
        (f"{lead}How long should receipts stay?", "Two years", "How long should receipts stay? Two years"),
        ("how long should receipts stay?", "Two years", "How long should receipts stay? Two years"),
        (
            f"{lead}How long should {'all the old and new ' * 4}receipts stay?",
            "Receipts stay two years",
            "Receipts stay two years",
        ),
    ):
        (found,) = mine(Session("codex", "a", "/a.jsonl", (Turn("1", "answer", answer, question=asked),)))
        assert found.title == title


@pytest.mark.parametrize(
    ("asked", "answer", "count"),
    [
        ("Can I delete the second copy of the receipts?", "Yes, delete it.", 0),
        ("Darf ich die zweite Kopie der Belege löschen?", "ja, die zweite Kopie", 0),
        ("Should receipts stay for one year?", "Yes, and invoices for three", 1),
        ("Tabs or spaces?", "Spaces everywhere", 1),
    ],
)
def test_an_answer_that_only_consents(asked, answer, count):
    """A yes that repeats the question is a permission for the moment; what says more settles something."""
    assert len(mine(Session("codex", "a", "/a.jsonl", (Turn("1", "answer", answer, question=asked),)))) == count


@pytest.mark.parametrize("speaker", ["user", "answer", "refusal"])
def test_explicit_words_wherever_they_are_typed(speaker):
    """An order counts at a prompt, in an answer to a question and at a refused call alike."""
    text = "From now on, sort the invoices by date before anything else."
    (found,) = mine(Session("codex", "a", "/a.jsonl", (Turn("1", speaker, text),)))
    assert (found.kind, found.confidence, found.trust) == ("preference", "high", "user")


REPORT = "The export is written and the tests pass."


@pytest.mark.parametrize(
    ("talk", "found"),
    [
        ((("agent", REPORT), ("user", "The export should leave the dates out.")), True),
        ((("agent", "Shall the export hold the dates?"), ("user", "The export should leave the dates out.")), False),
        ((("user", "The export should leave the dates out."),), False),
        ((("agent", REPORT), ("user", "Rename the button. The export should leave the dates out.")), False),
        ((("agent", REPORT), ("tool", "Which one?"), ("user", "Templates must open without a shell.")), True),
        ((("agent", REPORT), ("user", "The header has the wrong colour.")), False),
        ((("agent", REPORT), ("user", "The token must be [REDACTED:api-key] on the server.")), False),
        ((("agent", REPORT), ("user", "The list is still empty.")), False),
    ],
)
def test_what_opens_a_reply_to_a_report(talk, found):
    """How the work is to be counts where it opens the reply to a report of the agent; as a task, an answer or further behind it is as
    often of the moment.
    """
    assert [one.confidence for one in mine(session(*talk)) if one.trust == "user"] == (["high"] if found else [])


def test_words_at_a_refused_call_reply_to_what_the_agent_did():
    """Who refuses a call and says how it is to be replies to what the agent was about to do, even if it asked for leave."""
    turns = (Turn("1", "agent", "May I write the dates?"), Turn("2", "refusal", "The export must leave the dates out."))
    assert [one.confidence for one in mine(Session("claude-code", "a", "/a.jsonl", turns))] == ["high"]


def test_the_agents_message_before_new_turns():
    """Where only the new turns of a conversation are mined, what the agent said before them tells whether they reply to a report."""
    talk = session(("user", "The export should leave the dates out."))
    assert [bool(mine(talk, said)) for said in (REPORT, "Shall it hold the dates?", "")] == [True, False, False]


def test_decisions_in_one_breath_are_one_memory():
    """A message that decides in several sentences is one memory; what does away with something is one of its own."""
    text = "We don't need a login page for guests. We don't keep their names. Run the tests."
    (one,) = mined(text)
    assert one.text == "We don't need a login page for guests. We don't keep their names."
    apart = mined("We don't need a login page for guests. We switched from Apache to Caddy for the site.")
    assert [one.replaces for one in apart] == ["", "Apache"]


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("wtf, stop adding comments everywhere!!", "Stop adding comments everywhere"),
        ("This is wrong again! From now on, sort the list by name!", "From now on, sort the list by name"),
        ("In Go files, always use tabs!", "In Go files, always use tabs"),
        ("Schon wieder falsch, lösche nie meine Dateien!", "Lösche nie meine Dateien"),
        ("Otra vez mal, nunca borres mis archivos!", "Nunca borres mis archivos"),
        ("Isso está errado, nunca apagues os meus ficheiros!", "Nunca apagues os meus ficheiros"),
        ("又错了，永远不要删除我的文件！", "永远不要删除我的文件"),
        (
            "From now on use the small font in the footer of every single page that shows prices to guests and to members",
            "From now on use the small font in the footer of every single page that shows",
        ),
    ],
)
def test_a_title_says_the_rule(text, title):
    """A complaint in front of a rule is no title, and what is cut does not end in a word that leads to what is gone; a condition stays."""
    assert [one.title for one in mined(text)] == [title]


@pytest.mark.parametrize(
    ("language", "text", "title"),
    [
        ("en", "However, do not push the setup guide", "Do not push the setup guide"),
        ("en", "Ew, I hate all of those names", "I hate all of those names"),
        ("de", "Allerdings, wir bleiben bei Tabs", "Wir bleiben bei Tabs"),
        ("fr", "Par contre, on garde les tabulations", "On garde les tabulations"),
        ("es", "Sin embargo, usa siempre tabuladores", "Usa siempre tabuladores"),
        ("pt", "No entanto, usa sempre tabulações", "Usa sempre tabulações"),
        ("en", "Well i want a draft and a printed draft", "A draft and a printed draft"),
        ("en", "can you please always check the links before you publish?", "Always check the links before you publish"),
        ("en", "ok so i think we should keep the receipts in folders, thanks", "Keep the receipts in folders"),
        ("en", "stop fucking renaming my folders, damn it!!", "Stop renaming my folders"),
        ("en", "NEVER RENAME MY FOLDERS AGAIN!!", "Never rename my folders again"),
        ("en", "from now on i review each page", "From now on I review each page"),
        ("de", "Also ich will eine Vorschau und einen Ausdruck", "Eine Vorschau und einen Ausdruck"),
        ("de", "kannst du bitte immer die Links prüfen?", "Immer die Links prüfen"),
        ("es", "Bueno, quiero un borrador y una copia impresa", "Un borrador y una copia impresa"),
        ("pt", "Bom, eu quero um rascunho e uma cópia impressa", "Um rascunho e uma cópia impressa"),
        ("fr", "Bon, je voudrais un brouillon et une copie", "Un brouillon et une copie"),
        ("zh", "嗯，我想要一个打印的草稿", "一个打印的草稿"),
        ("en", "always check teh links before you publish and", "Always check teh links before you publish"),
        ("en", "use tabs, not spaces because", "Use tabs, not spaces"),
        ("de", "die Belege liegen in Ordnern, aber", "Die Belege liegen in Ordnern"),
        ("fr", "les liens sont toujours vérifiés et", "Les liens sont toujours vérifiés"),
    ],
)
def test_a_title_has_nothing_around_the_rule(language, text, title):
    """Small words, courtesies, outbursts and "I want" around what is said are no part of a title, in any language."""
    assert title_of(text, language) == title


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "I don't want any animations"), ("en", "I want no animations"), ("en", "I want all prices to be net"),
        ("en", "No more animations"), ("en", "I always want animations"),
        ("en", "We must not publish on Sundays"), ("en", "I need glasses to read"), ("en", "Well tested links only"),
        ("en", "Finally blocks close files"), ("en", "Plus signs are escaped"),
        ("en", "So far the shop has two editors"), ("en", "I want it in blue"), ("de", "Ich möchte nicht, dass du Seiten löschst"),
        ("es", "No quiero animaciones"),
        ("pt", "Não quero animações"), ("fr", "Je ne veux pas d'animations"), ("zh", "我不想要动画"),
    ],
)  # fmt: skip
def test_a_title_says_no_other_thing(language, text):
    """What would mean something else, or nothing, without the words in front stays as it was said."""
    assert title_of(text, language) == text


def test_pointing_subject():
    """A rule about "it" is saved with the sentence that names it; where nothing names it, it only waits."""
    named = mined("The cover page is crowded. It shouldn't show the address.")
    assert [(one.confidence, one.text) for one in named] == [
        ("high", "The cover page is crowded. It shouldn't show the address.")
    ]
    assert [one.confidence for one in mined("It shouldn't show the address.")] == ["low"]


def test_trailing_dots():
    """Dots that trail behind a statement are no part of what is saved."""
    assert [one.text for one in mined("i dont want names in the export..")] == ["I dont want names in the export."]
