"""Where a page is made: beside the helper, which only does what needs a model."""

from tests.plugins.pages.conftest import travelling

from vademecum.plugins.pages.drawn import PAGES_READ, Asked, drawn_aside
from vademecum.plugins.pages.machine import Machine


def kettle(memory):
    memory.notes.save("fact", "Kettle", "Descale it every spring.")


def drawn_of(caller, run, settings, page, query):
    """The text of a page, and of each thing that was asked for it whether it went aside."""

    async def whole():
        asked = []

        async with caller(kettle) as call:

            async def noted(action, *, cwd="", aside=False):
                asked.append(aside)
                return await travelling(call)(action, cwd=cwd, aside=aside)

            path = f"/web{page}"
            found = await drawn_aside(noted, Asked(page, path, query, "", "token", Machine(settings())))
        return found.text, asked

    return run(whole())


def test_pages_are_made_aside(caller, run, settings):
    """Each list and overview is read and drawn in one go in the reading process: the helper only passes the text on."""
    for page in PAGES_READ:
        if "{" not in page:
            text, asked = drawn_of(caller, run, settings, page, {})
            assert asked == [True], page
            assert "</main>" in text, page


def test_the_helper_answers_questions(caller, run, settings):
    """What a question finds, which takes a model, comes from the helper; the page around it does not."""
    text, asked = drawn_of(caller, run, settings, "/find", {"q": "How often is the kettle descaled?"})
    assert asked == [True, False, True]
    assert "every spring" in text
