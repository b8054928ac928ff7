"""Health and settings on the pages, through the HTTP door."""

import html
import re
from pathlib import Path

from tests.plugins.pages.test_pages import words

from vademecum.doctor.checks import Finding
from vademecum.plugins.pages import health


def kettle(memory):
    memory.notes.save("fact", "Kettle", "Descale it.")


def test_health(browse, monkeypatch):
    """How large memory is stands there at once; each check tells what it found and what to do, what does not work first."""
    found = [
        Finding("index", "ok", "whole"), Finding("hooks", "fail", "no hook was called", "vade install"),
        Finding("disk", "warn", "nearly full", "make room"), Finding("codex", "skip", "not here"),
    ]  # fmt: skip
    looked = []

    async def checked_aside(machine):
        looked.append(machine)
        return found

    monkeypatch.setattr(health, "checked_aside", checked_aside)

    async def walk(browser):
        told = words(await browser.get("/web/health")), words(await browser.get("/web/checks"))
        await browser.get("/web/checks")
        assert len(looked) == 1, "what was found a moment ago is shown again"
        await browser.get("/web/checks?again=1")
        assert len(looked) == 2
        return told

    sizes, checks = browse(walk, kettle)
    assert "Memories 1 active" in sizes
    assert checks.index("hooks : no hook was called") < checks.index("disk : nearly full") < checks.index("index : whole")
    assert "→ vade install" in checks
    assert "Checked just now" in checks
    assert "1 checks do not concern this machine." in checks


def test_a_setting_is_shown_then_written(browse, tmp_path):
    """A change of a setting is shown as a difference of the file first, and every other line of the file stays."""
    file = tmp_path / "config.toml"
    file.write_text('# mine\nreview_mode = "interactive"\n')

    async def walk(browser):
        await browser.get("/web/settings")
        form = re.search(r"<form[^>]*>(?:(?!</form>).)*value=\"briefing_tokens\".*?</form>", browser.page, re.S)[0]
        browser.page = form
        preview = await browser.press("Show what would change", status=200, value="1234")
        before = file.read_text()
        return preview, before, words(await browser.press("Write it"))

    preview, before, done = browse(walk, kettle)
    assert "<ins>+briefing_tokens = 1234" in preview
    assert before == '# mine\nreview_mode = "interactive"\n'
    assert "Set: briefing_tokens = 1234." in done
    assert sorted(file.read_text().splitlines()) == ["# mine", "briefing_tokens = 1234", 'review_mode = "interactive"']


def test_install_shows_what_would_change(browse, tmp_path, monkeypatch):
    """A program is installed after the difference of each of its files was seen, and only as seen; removing gives the files back."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    file = tmp_path / ".claude" / "settings.json"
    file.parent.mkdir()
    file.write_text('{"model": "opus", "key": "AKIAIOSFODNN7EXAMPLE"}\n')
    before = file.read_text()

    async def walk(browser):
        page = await browser.get("/web/settings")
        assert "<code>vade init</code>" in page  # a command in the meaning of a setting is set as one
        listed = words(page)
        shown = await browser.get("/web/hosts/claude-code")
        untouched = file.read_text() == before
        file.write_text('{"model": "sonnet"}\n')
        again = words(await browser.press("Write it"))
        done = words(await browser.press("Write it"))
        written = file.read_text()
        await browser.get("/web/hosts/claude-code?remove=1")
        removed = words(await browser.press("Write it"))
        return listed, shown, untouched, again, done, written, removed, (await browser.ask("GET", "/web/hosts/nobody")).status

    listed, shown, untouched, again, done, written, removed, unknown = browse(walk, kettle)
    assert "Claude Code not installed Install" in listed
    assert untouched
    assert "<ins>+" in shown
    assert "SessionStart" in shown
    assert "AKIAIOSFODNN7EXAMPLE" not in shown
    assert "Something changed meanwhile" in again
    assert "Installed in Claude Code." in done
    assert "Claude Code installed Details Remove" in done
    assert "SessionStart" in written
    assert "Removed from Claude Code." in removed
    assert file.read_text() == '{"model": "sonnet"}\n'
    assert unknown == 404


def test_wrong_settings_are_refused(browse, tmp_path):
    """A value that a setting does not take, a place, a secret, and a preview that is no longer true change nothing."""
    file = tmp_path / "config.toml"

    async def walk(browser):
        await browser.get("/web/settings")
        token = re.search(r'name="token" value="([^"]+)"', browser.page)[1]
        asked = [("briefing_tokens", "many", ""), ("home", "/tmp", ""), ("llm_key", "x", ""), ("nonsense", "1", "")]
        answers = []
        for name, value, seen in asked:
            form = {"token": token, "name": name, "value": value, "seen": seen}
            answers.append((await browser.ask("POST", "/web/do/setting", form=form)).status)
        stale = {"token": token, "name": "briefing_tokens", "value": "99", "seen": "something else"}
        return answers, await browser.ask("POST", "/web/do/setting", form=stale), browser.page

    answers, stale, page = browse(walk, kettle)
    assert answers == [422, 422, 422, 422]
    assert stale.status == 200
    assert "Write it" in html.unescape(stale.body.decode())
    assert not Path(file).exists()
    assert "llm_key" in page
