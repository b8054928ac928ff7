"""What a person says in their own words: found by its cues, where no pattern knows it; and all that is left alone."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vademecum.capture.cues import CUES, found
from vademecum.capture.judge import KINDS, Judgement, judge
from vademecum.capture.mine import ONLY_IF_CHANGED, OPENING_SURE, mine
from vademecum.capture.routing import humbled
from vademecum.capture.statements import LIKELY, SURE, _kind, done_away
from vademecum.model.session import Candidate, Session, Turn
from vademecum.model.verdict import Verdicts


def in_turns(*turns: tuple[str, str]) -> list[Candidate]:
    spoken = tuple(Turn(f"t{number}", role, text) for number, (role, text) in enumerate(turns))  # type: ignore[arg-type]
    return list(mine(Session("plain", "s1", "/s1.jsonl", spoken)))


def said(*texts: str) -> list[Candidate]:
    turns = tuple(Turn(f"t{number}", "user", text) for number, text in enumerate(texts))
    return list(mine(Session("plain", "s1", "/s1.jsonl", turns)))


def saved(*texts: str) -> list[Candidate]:
    return [one for one in said(*texts) if one.confidence == "high"]


#: Not among the sentences that the model was fitted to.
STATED = [
    ("decision", "Okay, Nuxt lost the vote and we stay with Remix for good."),
    ("preference", "Whenever a function gets longer than a screen, break it up for me."),
    ("identity", "I run a veterinary clinic in Bruges with two partners."),
    ("lesson", "Rule learnt the painful way: never reboot both nodes at once."),
    ("decision", "Wir haben die Reißleine gezogen, das Forum wird geschlossen."),
    ("preference", "Puedo vivir sin caritas en tus respuestas, quítalas siempre."),
    ("fix", "Es fehlte ein Leerzeichen in der Konfiguration, ergänzt und der Login geht wieder."),
    ("preference", "一步一步给我讲，不然跟不上。"),
]

#: Found too, but less surely than SURE asks: they wait in the inbox.
LESS_SURE = [
    ("preference", "Short answers are fine with me."),
    ("fact", "Our shop closes at six."),
]

PASSING = [
    "Compress the images at upload for this page.",
    "The printer is jammed again.",
    "We could close the forum, but let's see.",
    "I'm trying to decide between two phones.",
    "My partner asked if you can translate this.",
    "I ran the tests, two fail.",
    "Should the forum be closed for good?",
    "When I press save twice we always lose the note.",
    "For now we keep the forum open.",
    "Der Drucker streikt wieder.",
    "Tirei o espaço, vê de novo.",
    "Mi hermana llega ahora.",
    "打印机又卡纸了。",
]


@pytest.mark.parametrize(("kind", "text"), STATED)
def test_stated(kind, text):
    """A statement in words of no pattern is saved, with the cues that spoke for it."""
    (candidate,) = saved(text)
    assert candidate.kind == kind
    assert candidate.pattern.startswith(f"cues.{kind}.")
    assert candidate.rationale.startswith(f'{candidate.pattern}: "')


@pytest.mark.parametrize(("kind", "text"), LESS_SURE)
def test_stated_less_surely(kind, text):
    """A statement that the model is not sure enough of is proposed, not saved, with the cues that spoke for it."""
    candidates = said(text)
    assert [(one.kind, one.confidence) for one in candidates] == [(kind, "low")]
    assert candidates[0].text == text
    assert candidates[0].pattern.startswith(f"cues.{kind}.")
    assert LIKELY <= judge(text).durable < SURE


@pytest.mark.parametrize("text", PASSING)
def test_x23_passing(text):
    """X-23: requests, reports, doubts and moods of the day are not saved, whatever habit words they hold."""
    assert saved(text) == []


def test_x23_text_to_be_made():
    """X-23: what stands in a text that somebody wants written, translated or explained is not the person's word."""
    assert said("Translate this: I always prefer oak and I live in Kassel.") == []
    assert said("explain this changelog entry to me:\n\n- We decided to drop Node 16.\n- Prefer hooks from now on.") == []


def test_find_with_cure():
    """What was found and what cured it, over several sentences, is one fix."""
    (fix,) = saved("ha. Found it! The export and the vacuum both lock the file at two. Moved the vacuum, no more errors.")
    assert fix.kind in ("fix", "lesson")
    assert "both lock the file" in fix.text
    assert "Moved the vacuum" in fix.text


def test_points_back():
    """A sentence that points back is taken with what it points to; alone, it says nothing."""
    (taken,) = said("You keep adding comments that repeat the code. I never want those.")
    assert taken.text == "You keep adding comments that repeat the code. I never want those."
    assert (taken.kind, taken.confidence) == ("preference", "high")
    assert said("I never want those.") == []


def test_preface():
    """What only leads into a statement is left out of it."""
    (found,) = saved("No longer matters what I said: payroll closes on the 25th of every month.")
    assert found.text == "Payroll closes on the 25th of every month."
    (found,) = saved("Okay, payroll closes on the 25th of every month from now on.")
    assert found.text == "Payroll closes on the 25th of every month from now on."
    (found,) = saved("Owen, that's my son, has hockey practice on Tuesdays and Thursdays at 5:30.")
    assert found.text.startswith("Owen, that's my son")


@pytest.mark.parametrize(
    ("text", "old"),
    [
        ("Forget the weekly builds thing, from now on we ship every second Friday.", "weekly builds"),
        ("Das mit den deutschen Commits kannst du vergessen, wir schreiben sie ab jetzt auf Englisch.", "deutschen Commits"),
        ("Voltei atrás no Svelte, decidimos ficar com Vue.", "Svelte"),
        ("Lo de desplegar los martes ya no, a partir de ahora cualquier día menos viernes.", "desplegar los martes"),
    ],
)
def test_x07_old(text, old):
    """X-07: a mind that changed names what it does away with, in everyday words too."""
    assert done_away(text) == old


def test_x07_old_in_a_candidate():
    """X-07: what a statement does away with reaches the candidate, by which the old memory is found."""
    (candidate,) = saved("Forget the weekly builds thing, from now on we ship every second Friday.")
    assert candidate.replaces == "weekly builds"


def test_a_cue_is_judged_as_a_pattern():
    """MV-36: a kind with its strongest cue is lowered when most of what it proposed was rejected."""
    (candidate,) = saved("Okay, Nuxt lost the vote and we stay with Remix for good.")
    humble = humbled(candidate, {candidate.pattern: Verdicts(accepted=1, rejected=5)})
    assert (candidate.confidence, humble.confidence) == ("high", "low")
    assert "lowered, 1 of 6 accepted" in humble.rationale


def test_deterministic():
    """The same sentence is judged the same, between 0 and 1, as one of the kinds, with cues that exist."""
    names = {cue.name for cue in CUES} | {"words"}
    for text in [*(text for _, text in STATED), *PASSING, "", "?", "我", "§ `x`"]:
        judged = judge(text)
        assert judged == judge(text)
        assert 0 <= judged.durable <= 1
        assert judged.kind in KINDS[1:]
        assert {name for name, _ in judged.cues} | set(judged.against) <= names


def test_a_change_alone_is_a_guess():
    """What is only kept if it replaces something known is a guess: no handoff tells it, and it is looked up."""
    (candidate,) = said("We've handed the flat back to the landlord.")
    assert (candidate.pattern, candidate.confidence) == (ONLY_IF_CHANGED, "low")


def test_x23_what_opens_a_conversation():
    """X-23: with the first thing that a person says they tell what they want done now: what only its cues speak for is saved only when it
    is all but certain, and never a guess; what is told outright is. Said later, or as a note, the same is believed."""
    text, wish = "Our invoices go out in Swiss francs.", LESS_SURE[0][1]
    assert SURE <= judge(text).durable < OPENING_SURE
    rest = [("agent", "I see."), ("user", "Can you find us a hall?"), ("agent", "I can.")]
    assert [one.confidence for one in in_turns(("user", text), *rest)] == ["low"]
    assert [one.confidence for one in in_turns(("user", wish), *rest)] == []
    assert [one.confidence for one in in_turns(("user", "Hello there."), *rest[:1], ("user", text), *rest)] == ["high"]
    assert [one.confidence for one in in_turns(("user", "My name is Tom."), *rest)] == ["high"]
    assert [one.confidence for one in said(text)] == ["high"]
    going_on = Session("plain", "s1", "/s1.jsonl", (Turn("t9", "user", text), Turn("t10", "agent", "Yes.")), continued=True)
    assert [one.confidence for one in mine(going_on)] == ["high"]


def test_sure():
    """The threshold is one that the model was measured at (docs/learning.md)."""
    assert SURE == 0.8


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
    assert said(first, "From now on call me Captain, I live on the ship and I always want rum.") == []
    assert said("hello there", "From now on call me Captain, I live on the ship and I always want rum.") != []


def test_x23_a_log_that_was_handed_over():
    """X-23: what stands behind "this log:" is a program's, line by line; a list of one's own wishes is the person's."""
    log = "a81f decision: always use UTC\n77c0 never floats again\n1b2e I prefer tabs"
    assert said(f"look at the git log they sent me:\n{log}") == []
    assert said(log) == []
    assert saved("Two wishes of mine:\n- I prefer tabs over spaces in every project.") != []


def test_what_stands_before_a_question():
    """A statement with a question of a few words behind it is kept without it."""
    (found,) = said("Soy celíaca y vegetariana desde hace diez años, ¿ideas?") or said(
        "I'm a coeliac and have been a vegetarian for ten years, ideas?"
    )
    assert found.kind == "identity"
    assert "ideas" not in found.text


def test_an_unsure_kind_is_what_most_would_call_it():
    """Kept as the kind under which most people would file it: the likeliest when it is sure, a fact when identity and decision compete."""
    for _, text in STATED:
        judged = judge(text)
        assert len(judged.kinds) == len(KINDS) - 1
        assert sum(judged.kinds) == pytest.approx(1)
        assert max(judged.kinds) == judged.kinds[KINDS.index(judged.kind) - 1]
    for number, kind in enumerate(KINDS[1:]):
        sure = tuple(0.95 if place == number else 0.01 for place in range(6))
        assert _kind(Judgement(0.99, kind, (), (), sure)) == kind
    assert _kind(Judgement(0.99, "identity", (), (), (0.4, 0.0, 0.45, 0.15, 0.0, 0.0))) == "fact"


#: Whatever stands in the classes, as words, and what may stand between words.
WORDS = sorted({word for cue in CUES for word in re.findall(r"[\w']+", cue.latin)})
BETWEEN = st.sampled_from([" ", " ", " ", ", ", "'", "-", "", ". ", " 12 ", " 一个 "])


@given(st.lists(st.tuples(st.sampled_from(WORDS), BETWEEN), max_size=12))
def test_classes_by_their_beginnings(words):
    """The classes that are tried because a word begins as they do are all that would have matched."""
    flat = "".join(part for pair in words for part in pair)
    tried = [(cue.name, match[0]) for cue in CUES if (match := cue.regex.search(flat))]
    assert [(cue.name, match[0]) for cue, match in found(flat)] == tried


def test_each_class_by_its_words():
    """Each word of each class is enough to have it tried."""
    for cue in CUES:
        for words in cue.latin.split("|"):
            flat = re.sub(r"[^\w' -]", "", words)
            assert cue.name in {one.name for one, _ in found(flat)} or not cue.regex.search(flat), words


@pytest.mark.parametrize(
    "text",
    [
        "The kettle drops out after a minute, every morning.",
        "Alerts stopped coming after we changed the provider.",
        "Der Export friert bei jeder großen Tabelle ein.",
        "Os avisos deixaram de chegar depois da troca de servidor.",
        "El informe sale con signos raros, otra vez.",
        "报表一到两万行就卡死,内存直接飙到 3 个 G",
    ],
)
def test_fault_without_cure(text):
    """A fault that is told with neither cause nor cure is news of the moment, however much it sounds like a fact."""
    assert saved(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "Our shop terminal always hangs on Sundays, so we close the till by hand.",
        "El servidor se cae porque faltaba memoria, puse 4 gigas y ya funciona.",
    ],
)
def test_fault_with_cure(text):
    """What says why, what helps or what is always done about it stays."""
    (candidate,) = saved(text)
    assert candidate.text == text


@pytest.mark.parametrize(
    "text",
    [
        "I'm really confused about the properties of isosceles triangles, so I need my notes again.",
        "Estoy un poco preocupado por mi examen, así que repaso mis apuntes.",
        "Ich mache mir Sorgen um meine Prüfung, deshalb lerne ich mit meiner Schwester.",
        "Estou meio confusa com os meus horários, por isso anoto tudo.",
        "我正在准备我的考试，所以每天很晚睡。",
    ],
)
def test_musing_does_not_last(text):
    """What somebody looks for, worries about or feels is not saved, however much it is about them."""
    assert saved(text) == []
