"""What a conversation was about: asked, done, decided, open, next, files, commands, failing tests; nothing that nobody wrote."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vademecum.domain.session import Session, Turn
from vademecum.extract.numbers import ASKED_MAX, COMMANDS_MAX
from vademecum.extract.numbers import OUTLINE_LINE_MAX_CHARS as LINE_MAX_CHARS
from vademecum.extract.outline import outline
from vademecum.language.text import brief

NINE = datetime(2026, 3, 2, 9, tzinfo=UTC)


def session(*turns, **more):
    """Turns as (role, text) or (tool name, argument, files)."""
    made = []
    for number, (role, text, *files) in enumerate(turns):
        if role in ("user", "agent", "result", "injected"):
            made.append(Turn(f"t{number}", "tool" if role == "result" else role, text))
        else:
            made.append(Turn(f"t{number}", "tool", f"{role}: {text}", tools=(role,), files=tuple(files)))
    return Session("codex", "s", "/t.jsonl", tuple(made), **more)


def test_whole():
    """Each piece stands where it belongs, in the order in which it was said."""
    found = outline(
        session(
            ("user", "Please add a login page to the shop."),
            ("Read", "/work/app.py", "/work/app.py"),
            ("Edit", "/work/login.py", "/work/login.py"),
            ("Bash", "pytest -q tests/test_login.py"),
            ("result", "FAILED tests/test_login.py::test_wrong_password - AssertionError\n1 failed"),
            ("agent", "The page is there. One test still fails: the wrong password is let in."),
            ("user", "No, don't use sessions. We decided to use signed cookies, because they need no store."),
            ("Bash", 'git commit -am "Add the login page"'),
            ("result", "[main 1a2b3c4] Add the login page"),
            ("agent", "I switched to signed cookies. Next I will mend the test. Let me know if you want more."),
            project="shop", title="Login", started=NINE,
        )
    )  # fmt: skip
    assert found.goal == "Please add a login page to the shop."
    assert found.changed == ("/work/login.py",) and found.looked_at == ("/work/app.py",)
    assert found.commands == ("pytest -q tests/test_login.py", 'git commit -am "Add the login page"')
    assert found.commits == (("1a2b3c4", "Add the login page"),)
    assert found.failing == ("tests/test_login.py::test_wrong_password",)
    assert found.decided and "signed cookies" in found.decided[0]
    assert found.corrected and "don't use sessions" in found.corrected[0]
    assert any("still fails" in line for line in found.open)
    assert "mend the test" in found.next
    assert found.done[-1] == "I switched to signed cookies."
    assert (found.turns, found.cursor, found.title, found.project) == (4, "t9", "Login", "shop")


def test_green_again():
    """Tests that failed and passed in a later run are not failing."""
    red = [("Bash", "pytest -q"), ("result", "FAILED tests/a.py::test_x - boom")]
    assert outline(session(*red)).failing == ("tests/a.py::test_x",)
    assert outline(session(*red, ("Bash", "ls"), ("result", "a b"))).failing == ("tests/a.py::test_x",)
    assert outline(session(*red, ("Bash", "pytest -q"), ("result", "3 passed"))).failing == ()


def test_last_error():
    """Without a run of tests, the error that a tool ended with is what fails; one that was overcome is not."""
    error = [("Bash", "python a.py"), ("result", "Traceback\nKeyError: 'shop'")]
    assert outline(session(*error)).failing == ("KeyError: 'shop'",)
    assert outline(session(*error, ("Bash", "python a.py"), ("result", "done"))).failing == ()


def test_other_runners():
    """Names of failed tests are known of Go, Rust and JavaScript too."""
    for text in ("--- FAIL: TestLogin (0.00s)", "test login::wrong ... FAILED", "  ✕ refuses a wrong password (5 ms)"):
        assert len(outline(session(("Bash", "go test ./..."), ("result", text))).failing) == 1, text


def test_only_the_main_conversation():
    """Sub-agents and what we injected ourselves are no part of it."""
    turns = (Turn("1", "user", "Sort the list."), Turn("2", "agent", "I will do that instead.", sidechain=True),
             Turn("3", "injected", "TODO: something recalled"),
             Turn("4", "tool", "Edit: x", tools=("Edit",), files=("/x",), sidechain=True))  # fmt: skip
    found = outline(Session("codex", "s", "/t", turns))
    assert found.open == ("in progress: Sort the list.",) and found.done == () and found.changed == () and found.turns == 1


def test_short_answers_are_no_requests():
    """ "Yes" and "go on" ask for nothing by themselves; a conversation of nothing else still has what there is."""
    assert outline(session(("user", "Please write the report."), ("agent", "Shall I?"), ("user", "yes"))).asked == (
        "Please write the report.",
    )
    assert outline(session(("user", "continue"))).asked == ("continue",)
    assert outline(session(("user", "/clear"))).asked == ()


def test_goal_stays():
    """Of many requests the first and the last are kept."""
    found = outline(session(*(("user", f"Please do thing number {n}.") for n in range(40))))
    assert found.goal == "Please do thing number 0." and found.asked[-1] == "Please do thing number 39."
    assert len(found.asked) == ASKED_MAX


@given(
    st.lists(
        st.tuples(st.sampled_from(["user", "agent", "result", "Bash", "injected"]), st.text(min_size=1, max_size=80)),
        max_size=20,
    )
)
def test_any_conversation(turns):
    """Whatever was said: it returns, keeps its bounds, and claims nothing of an empty conversation."""
    found = outline(session(*turns))
    assert all(len(line) <= LINE_MAX_CHARS for line in (*found.asked, *found.done, *found.open, found.next))
    assert len(found.commands) <= COMMANDS_MAX
    assert not outline(session()).asked


def handed(*turns):
    """The outline of a talk of (role, text)."""
    return outline(session(*turns))


def test_plan_goes_by_its_title():
    """A plan that is handed over is a goal with a name, not its first sentence."""
    found = handed(
        ("user", "Implement the following plan:\n\n# Plan: Clear the basket\n\n## Context\n\nThe bar still shows issues.")
    )
    assert found.goal == "Implement the following plan: Clear the basket"


def test_terminal_in_a_prompt():
    """What a terminal showed is not what was asked."""
    shown = (
        "user@box:~/shop $ git push\nerror: failed to push\n\nhint: try again\n- or not\n\nplease fix, we no longer use hooks"
    )
    found = outline(session(("user", shown), title="user@box:~/shop $ git push"))
    assert found.goal == found.title == "please fix, we no longer use hooks"
    assert handed(("user", "error: no such table orders")).goal == "error: no such table orders"


def test_private_prompt():
    """What stands between <private> marks is in no line, also when nothing else was said."""
    found = handed(
        ("user", "<private>The code is 1234.</private>"), ("agent", "Done."), ("user", "Move it. <private>Not this.</private>")
    )
    assert "1234" not in str(found) and "Not this" not in str(found) and found.goal == "Move it."


def test_work_talk_is_not_done():
    """What an agent was about to do when it was interrupted is not told as done."""
    found = handed(
        ("user", "Clear the basket after that."), ("agent", "Now I can see the file. I'll add the effect."),
        ("user", "commit then please"), ("agent", "Let me know if you want more. **Summary**: Added an effect to `Basket.tsx`."),
    )  # fmt: skip
    assert found.done == ("[UNVERIFIED] Added an effect to `Basket.tsx`.",)


def test_list_with_its_lead():
    """A sentence that leads into a list stands with its entries; one that only says that a list follows does not."""
    found = handed(
        ("user", "Add tests for chunking."),
        ("agent", "Here's a summary:\n\nI added two tests:\n1. **small** one\n2. **large** one"),
    )
    assert found.done == ("[UNVERIFIED] I added two tests: small one; large one",)
    asked = "Moved it. Two things I wonder about:\n\n- Which table?\n- Which name?\n\nPushed commit:\n\n`fab6fe66`"
    assert handed(("user", "Move the shop."), ("agent", asked)).done == ("Moved it.", "[UNVERIFIED] Pushed commit: `fab6fe66`")


def test_open_under_a_label():
    """What a report puts under such a label is open, and so is a request that nobody reported on."""
    report = "It works.\n\n**Not built:** the score.\n\n### Remaining risks\n\n- Large files are slow.\n\nThat is all.\n"
    found = handed(("user", "Build the game."), ("agent", report))
    assert found.open == ("Large files are slow.", "Not built: the score.") and "slow" not in str(found.done)
    unanswered = handed(
        ("user", "Build the game."), ("agent", "Built the game."), ("user", "Now add a score."), ("agent", "I'll look at it.")
    )
    assert unanswered.open == ('in progress: Now add a score. ("I\'ll look at it.")',)


def test_why_a_commit_was_blocked():
    """A refused commit is open, with what the agent says of the reason; an entry of a list that failed is not told as done."""
    found = outline(
        session(
            ("user", "Please mend the shop and commit it."),
            ("Edit", "/work/shop.py", "/work/shop.py"),
            ("Bash", 'git commit -am "Mend the shop"'),
            ("result", "Exit code 1\nerror: script exited with code 1"),
            (
                "agent",
                "The failures all come from old copies.\n\nThe steps ran as expected:\n- Build passed\n- Sign is failing, no key\n",
            ),
        )
    )
    assert found.open[-2:][0] == 'commit blocked: error: script exited with code 1 ("The failures all come from old copies.")'
    assert [line for line in found.done if "Sign" in line] == []
    assert any("Build passed" in line for line in found.done)


def test_requests_are_not_open():
    """ "It needs to be friendly" asks for something; it does not say that something is left over."""
    found = handed(("user", "The text needs to be friendly to beginners."), ("agent", "Rewrote the text in a friendly tone."))
    assert found.open == ()


def test_next_of_the_last_report():
    """A step that an earlier report named has been overtaken; without one, what the agent offers to do is next."""
    talk = [
        ("user", "Plan the shop."),
        ("agent", "Planned it. Next step (per PLAN.md): build the cart."),
        ("user", "Do something else first."),
    ]
    assert handed(*talk[:2]).next == "build the cart."
    assert handed(*talk, ("agent", "Renamed the table. If you want, I can rename the columns too.")).next.startswith(
        "If you want"
    )
    assert handed(*talk, ("agent", "Next, I'm renaming the table.")).next == ""


def test_lint_is_no_failing_test():
    """Marks that a linter or a status line prints are no tests, and tests that the agent saw pass do not fail."""
    status = [
        ("user", "Commit this."),
        ("Bash", "npm run lint"),
        ("result", "● Enabled on main\n  ✖ Some errors were emitted"),
        ("agent", "Committed it."),
    ]
    assert handed(*status).failing == ()
    red = [("user", "Run it."), ("Bash", "npm run test:unit"), ("result", "  ✕ refuses a wrong word\n1 failed")]
    assert handed(*red).failing == ("refuses a wrong word",) and handed(*red).validation == "failed"
    green = handed(*red, ("agent", "All 12 tests pass now."))
    assert green.failing == () and green.validation == "passed"


def test_error_that_was_reported_on():
    """An error in a tool's last answer stands only when the talk broke off there."""
    error = [("user", "Commit this."), ("Bash", "git commit"), ("result", "error: Database connection failed\n3 files changed")]
    assert handed(*error).failing and not handed(*error, ("agent", "Committed as 91757d4.")).failing


def test_nothing_is_open():
    """A report that says that nothing is left leaves nothing open."""
    said = "Fixed in both remaining diagrams. 0 issues remaining. Uncommitted changes: none."
    assert handed(("user", "Fix the diagrams."), ("agent", said)).open == ()


def test_waits_for_an_answer():
    """A report that ends with a question leaves that open; an offer is what may come next."""
    asked = handed(("user", "Where is my chat?"), ("agent", "It is in neither folder. In which folder was it opened?"))
    assert asked.open == ("waits for an answer: In which folder was it opened?",)
    offered = handed(("user", "Where is my chat?"), ("agent", "It is in the second folder. Want me to move it?"))
    assert offered.open == () and offered.next == "Want me to move it?"


def test_bookkeeping_is_no_request():
    """What a host puts in the person's place is neither asked nor left unanswered."""
    said = (("user", "Move the shop."), ("agent", "Moved the shop."), ("user", "<command-name>/exit</command-name>"))
    found = handed(
        *said, ("user", "[Request interrupted by user]"), ("user", "<local-command-stdout>Bye</local-command-stdout>")
    )
    assert found.asked == ("Move the shop.",) and found.open == ()


@pytest.mark.parametrize("end", ["ok", "thanks, bye", "Danke, tschüss!", "yes, do that", "great, good for today"])
def test_courtesies_are_no_requests(end):
    """A session that ends with "ok" or "thanks" is about what was really asked last; its courtesy is neither title nor open (MV-41)."""
    turns = (
        Turn("1", "user", "hi there"),
        Turn("2", "agent", "Hello, what shall I do?"),
        Turn("3", "user", "Export the invoices as CSV."),
        Turn("4", "agent", "The export is written and its tests pass."),
        Turn("5", "user", end),
    )
    found = outline(Session("plain", "s", "/s", turns, title="hi there"))
    assert (found.title, found.asked, found.open) == ("Export the invoices as CSV.", ("Export the invoices as CSV.",), ())


def talk(*turns):
    return outline(session(*turns))


@pytest.mark.parametrize(
    "last",
    [
        "The branch is behind its remote, so I'm making a focused commit first, then I'll rebase and push.",
        "I'm staging only these two files. After that I'll commit and push them.",
        "The scan shows no child process, so I'm polling the commit session once more. If it stays silent, I'll retry.",
        "Let me write the plan now: all I need is there.",
    ],
)
def test_what_is_announced_last_is_open(last):
    """A session that ends with what the agent is about to do, in whatever sentence of its end, has its last request open."""
    found = talk(
        ("user", "Please tidy the shelf labels of the shop."),
        ("agent", "I tidied the shelf labels."),
        ("user", "Please bring that to the remote branch."),
        ("Bash", "git status"),
        ("agent", last),
    )
    (line,) = [line for line in found.open if line.startswith("in progress: ")]
    assert "bring that to the remote branch" in line and last[:20] in line


@pytest.mark.parametrize(
    "opinion",
    [
        "The current colours make sense with the rest of the shop.",
        "Mostly because blue stands for the data layer there.",
        "The shelf is as high as the whole window and a third of its width.",
        "The commit command is still running, likely through hooks.",
    ],
)
def test_what_is_meant_or_still_running_is_not_done(opinion):
    """What an agent found, means, or says to be under way is not told as done; what it did is."""
    found = talk(
        ("user", "Please change the colour of the shelf labels."),
        ("Edit", "/work/shelf.css", "/work/shelf.css"),
        ("agent", f"I changed the colour in shelf.css. {opinion}"),
        ("user", "And what do you think of it?"),
        ("agent", opinion),
    )
    assert found.done == ("I changed the colour in shelf.css.",)


def test_what_is_still_running_is_open():
    """What a last report says to be still running, stale or queued is open."""
    found = talk(("user", "Please publish the shop."), ("agent", "I pushed it. The worker for the labels is still running."))
    assert "The worker for the labels is still running." in found.open


@pytest.mark.parametrize(
    "address",
    [
        "https://github.com/orchard/shop/pull/new/docs/labels",
        "https://gitlab.com/o/s/-/merge_requests/new?merge_request%5Bsource_branch%5D=docs/labels",
    ],
)
def test_a_branch_that_was_only_pushed_has_no_pull_request(address):
    """Where a report ends with the address at which a pull request is to be opened, that it is not opened is open."""
    found = talk(("user", "Please push the labels."), ("agent", f"Pushed branch docs/labels. PR URL: {address}"))
    assert "pull request not opened: `docs/labels`" in found.open


@pytest.mark.parametrize(
    "first",
    [
        "where did we leave off",
        "switch to main please",
        "Resume previous session",
        "commit this",
        "wo waren wir stehengeblieben",
    ],
)
def test_the_title_is_what_was_to_be_reached(first):
    """A request that only leads to the work is no title: the first one that names something to be reached is."""
    found = talk(
        ("user", first),
        ("agent", "All is in place."),
        ("user", "Please write a guide for the helpers at the booth."),
        ("agent", "I wrote the guide."),
    )
    assert found.title == "Please write a guide for the helpers at the booth."


def test_a_session_of_nothing_else_is_titled_so():
    """A session in which only such a thing was asked is titled by it."""
    assert talk(("user", "switch to main please"), ("agent", "I switched to main.")).title == "switch to main please"


def test_a_line_is_cut_without_a_full_stop():
    """What is cut behind a sentence ends in one mark."""
    long = "Look into the red build. " + "The log of the nightly run is in the folder of the server. " * 12
    (line,) = outline(session(("user", long))).asked
    assert line.endswith("…") and not line.endswith(".…")
    assert brief("Look into it. Then tell me.", 15) == "Look into it…"
