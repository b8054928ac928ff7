"""What commands did to a repository is read off their answers, never off what is said or written about it."""

import pytest

from vademecum.domain.session import Session, Turn
from vademecum.extract.commits import repository_effects
from vademecum.extract.outline import outline

MADE = "[main 1a2b3c4] Move the shop\n 2 files changed"


def turns(*said):
    """Turns of (role, text) or of (command, answer) for a shell."""
    found = []
    for number, (first, text) in enumerate(said):
        if first in ("user", "agent", "tool"):
            found.append(Turn(f"t{number}", first, text))
        elif first.startswith("edit "):
            found.append(Turn(f"t{number}", "tool", first, tools=("Edit",), files=(first.removeprefix("edit "),)))
            found.append(Turn(f"t{number}a", "tool", text))
        else:
            found.append(Turn(f"t{number}", "tool", f"Bash: {first}", tools=("Bash",)))
            found += [Turn(f"t{number}a", "tool", text)] if text else []
    return found


@pytest.mark.parametrize(
    ("command", "answer", "made"),
    [
        ('git commit -m "Move the shop"', MADE, [("1a2b3c4", "Move the shop")]),
        ("git -C /work/shop commit -qam 'Move the shop'", "ok", [("", "Move the shop")]),
        (
            "cd shop && git add . && git commit -m \"$(cat <<'EOF'\nMove the shop\n\nMore.\nEOF\n)\"",
            "ok",
            [("", "Move the shop")],
        ),
        ('git commit -m "release: ${tag}"', "ok", []),
        ('git commit -m "Move the shop"', "Exit code 1\nerror: the hook failed", []),
        ('git commit --dry-run -m "Move the shop"', "ok", []),
        ("echo 'git commit -m \"Move the shop\"'", 'git commit -m "Move the shop"', []),
        ("cat > notes.md <<'EOF'\ngit commit -m \"Move the shop\"\nEOF", "ok", []),
    ],
)
def test_commits(command, answer, made):
    """A commit is one that a command made: not a message in an example, in a text or with a name that was never filled in."""
    assert list(repository_effects(turns((command, answer))).commits) == made


def test_refused_and_left():
    """A refused commit and files written since the last one are known until a commit succeeds."""
    edit, refused = ("edit shop.py", "done"), ('git commit -m "A"', "Exit code 1\nshop.py(3): error TS1: no such name")
    first = repository_effects(turns(edit, refused))
    assert first.refused == "shop.py(3): error TS1: no such name" and first.left == ("shop.py",)
    then = repository_effects(turns(edit, refused, ('git commit -m "A"', MADE), ("git push", "ok")))
    assert (then.refused, then.left, then.pushed) == ("", (), True)
    assert repository_effects(turns(edit)).left == () and repository_effects(turns(edit), branch="main").left == ("shop.py",)


def test_silent_answers():
    """A call whose answer says nothing takes no other's answer."""
    found = repository_effects(turns(("git add .", ""), ('git commit -m "A"', MADE)))
    assert found.commits == (("1a2b3c4", "Move the shop"),)


def test_unproved_claims_are_marked():
    """SW-38: what an agent says it did, and no tool shows, is marked; what a tool wrote is not."""
    asked = ("user", "Please add the exporter and the limiter to the shop.")
    said = ("agent", "I implemented the CSV exporter in exporter.py.")
    assert outline(Session("plain", "s", "", tuple(turns(asked, said)))).done == (f"[UNVERIFIED] {said[1]}",)
    shown = tuple(turns(asked, ("edit src/exporter.py", "done"), said))
    assert outline(Session("plain", "s", "", shown)).done == (said[1],)
    committed = ("agent", "Committed the exporter to the main branch.")
    assert outline(Session("plain", "s", "", (*shown, *turns(asked, committed)[1:]))).done[-1].startswith("[UNVERIFIED]")


def test_stopped_in_the_middle():
    """What was under way when the session stopped is open, with the agent's last words."""
    said = turns(
        ("user", "Please plan the new index of the shop."), ("agent", "I have everything I need. Let me write the plan.")
    )
    found = outline(Session("plain", "s", "", tuple(said)))
    assert "in progress" in found.open[-1] and "the new index" in found.open[-1] and not found.done
