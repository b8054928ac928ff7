"""Typed or pasted: whose words a turn holds."""

import tomllib
from pathlib import Path

import pytest

from vademecum.domain.session import Role, Turn
from vademecum.extract.voice import Voice, typed_text, voices

_TURNS = tomllib.loads(Path(__file__).with_name("voices.toml").read_text("utf-8"))["turn"]


def _turn(text: str, role: Role = "user", ref: str = "u1", **more: object) -> Turn:
    return Turn(ref=ref, speaker=role, text=text, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "case", _TURNS, ids=[one["text"].split("\n")[1][:40] if "\n" in one["text"] else one["text"][:40] for one in _TURNS]
)
def test_forms(case: dict[str, object]) -> None:
    text = str(case["text"])
    voice = voices([_turn(text)])["u1"]
    assert voice.pasted == case["pasted"], voice
    typed = " ".join(text[start:end] for start, end in voice.typed)
    wanted = case.get("typed", [] if case["pasted"] else [text])
    assert typed.split() == " ".join(wanted).split()  # type: ignore[arg-type]


@pytest.mark.parametrize("phrase", ["Implement the following plan:\n\n", "PLEASE IMPLEMENT THIS PLAN:\n"])
@pytest.mark.parametrize("words", ["", "always prune the old trees first"])
def test_a_plan_that_was_handed_over(phrase: str, words: str) -> None:
    """However short it is, a plan is the agent's: the person typed what follows it, and accepted it."""
    text = f"{phrase}# Plan: Prune first\n\nAlways use steel shears." + (
        f"\n\nUser feedback on this plan: {words}" if words else ""
    )
    voice = voices([_turn(text)])["u1"]
    assert voice.pasted
    assert [text[start:end].strip() for start, end in voice.typed] == [part for part in (phrase.strip(), words) if part]


def test_what_an_agent_or_a_tool_said_before_is_not_typed() -> None:
    told = "The cache is cleared on each start, so we always warm it with the nightly job."
    shown = "Releases are cut on Mondays and never on the day before a holiday."
    turns = [
        _turn(f"I looked.\n\n- {told}", "agent", "a1"),
        _turn(f"README.md\n{shown}\n", "tool", "t1"),
        _turn(f"> {told}\n\n{shown}\nwe always use make here", "user", "u1"),
    ]
    voice = voices(turns)["u1"]
    assert typed_text(turns[2], voice).split() == ["we", "always", "use", "make", "here"]


def test_what_the_person_says_twice_stays_theirs() -> None:
    said = "Please always run the formatter before you commit anything at all."
    turns = [_turn(said, ref="u1"), _turn("Done.", "agent", "a1"), _turn(said, ref="u2")]
    assert typed_text(turns[2], voices(turns)["u2"]) == said


def test_the_length_is_measured_by_the_persons_own_usual() -> None:
    # That nobody is spoken to makes two points; the third is the length beside short messages.
    text = (
        "The committee met on neutral ground and talked about the fee. The treasurer showed the figures of the last year, and the "
        "members asked for a list of open bills. The chair closed the meeting with a word about the summer festival. The cook promised "
        "soup for all, the band wanted a larger stage, and the neighbours were invited again. The minutes were read aloud and nobody "
        "objected to a single line of them. A vote on the colour of the flags was put off until the autumn, as in the year before. The "
        "next meeting takes place in the old school, and guests are welcome. Coffee and cake are served from three o'clock on, and the "
        "hall is open until late."
    )
    long = [_turn(text, ref=f"l{number}") for number in range(4)]
    short = [_turn(f"go on with part {number}", ref=f"s{number}") for number in range(6)]
    assert len(text) > 600
    assert not voices(long)["l3"].pasted
    assert voices([*short, _turn(text)])["u1"].pasted


def test_what_is_said_to_a_sub_agent_is_an_agents() -> None:
    voice = voices([_turn("I always want a list of files.", sidechain=True)])["u1"]
    assert voice.pasted
    assert voice.typed == ()


def test_words_at_a_refused_call_and_answers_are_typed() -> None:
    """Words are the person's by their speaker, though a tool's result holds the same words."""
    words = "sort them by date first, and keep the old names of all the files"
    result = _turn(f"The tool use was rejected. The user said:\n{words}", "tool", "t1")
    for speaker in ("refusal", "answer"):
        given = Turn("t2", speaker, words)
        assert voices([result, given])["t2"] == Voice(False, ((0, len(words)),))


def test_documents_and_programs_are_not_typed() -> None:
    """What was handed over, and what a program asked, was typed by nobody."""
    for speaker in ("document", "program"):
        assert voices([Turn("1", speaker, "I always want tabs.")])["1"] == Voice(True, ())


def test_places_stay_the_same() -> None:
    turn = _turn("why?\n\n```\nx = 1\n```\n\nwe always use y")
    blanked = typed_text(turn, voices([turn])["u1"])
    assert len(blanked) == len(turn.text)
    assert blanked.index("we always") == turn.text.index("we always")


REVIEWED = (
    "The loader reads each row twice. The first pass only counts them, which doubles the time of a large file. "
    "Consider a running total instead, and drop the second cursor."
)


HURRIED = ["ok now the totals", "i think its fine..", "dont touch the names", "why is it slow??"]


@pytest.mark.parametrize(
    ("others", "text", "pasted"),
    [
        (HURRIED, REVIEWED, True),
        (["The totals come next.", "Leave the names.", "Use the small file.", "Why is it slow?"], REVIEWED, False),
        (HURRIED, f"We read each row twice. {REVIEWED}", False),
        (HURRIED, "The list is empty. It was full before.", False),
        (HURRIED[:2], REVIEWED, False),
    ],
)
def test_another_hand(others: list[str], text: str, pasted: bool) -> None:
    """Whole sentences in which nobody is spoken to, among messages typed in a hurry, were written by another; those of a person who
    always writes so, who says "we", or who is brief, are theirs."""
    turns = [*(_turn(words, ref=f"s{number}") for number, words in enumerate(others)), _turn(text)]
    assert voices(turns)["u1"].pasted is pasted
