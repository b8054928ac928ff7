"""Patterns of tool calls: which calls a rule is told at."""

import pytest

from vademecum.domain.call_patterns import call_of, commands_in, fits, literal, parsed

CALLS = [
    # pattern, command or path, fits
    ("run: git push --force", "cd /x && git -C y push origin --force main", True),
    ("run: git push --force", "git push origin main", False),
    ("run: git push --force", "git push --force-with-lease", False),
    ("run: git push --force", "git push -f", True),
    ("run: git push --force", "git -C y push origin -uf main", True),
    ("run: git push --force", "git push origin +main", True),
    ("run: git push --force", "git push -ofoo origin main", False),
    ("run: git push --force", "git push -n origin main", False),
    ("run: git push --force-with-lease", "git push --force-with-lease", True),
    ("run: git push --force-with-lease", "git push -f", False),
    ("run: git push -f", "git push --force origin main", True),
    ("run: git push -f", "git push -fu origin main", True),
    ("run: git push -f", "git push --follow-tags", False),
    ("run: git commit --no-verify", "git commit -anm 'x y'", True),
    ("run: git commit -n", "git commit --no-verify -m x", True),
    ("run: git commit --no-verify", "git commit -amnone", False),
    ("run: git commit --no-verify", "git commit -m '-n is bad'", False),
    ("run: git commit --no-verify", "git push -n", False),
    ("run: rm -rf", "rm -f x -R", True),
    ("run: rm -rf", "rm --force --recursive x", True),
    ("run: rm -rf", "rm -r x", False),
    ("run: rm -r", "rm -vfr x", True),
    ("run: npm install --global", "npm install -g x", True),
    ("run: pnpm add -g", "pnpm add x --global", True),
    ("run: npm install -g", "npm -ws install x", False),
    ("run: git commit", "git log --grep commit", False),
    ("run: git commit", "echo 'git commit'", False),
    ("run: git commit", "make check; FOO=1 sudo git commit -m x", True),
    ("run: npm *", "npm install left-pad", True),
    ("run: npm publish", "sudo -u build nice -n 5 timeout 60 npm publish", True),
    ("run: npm publish", "env -i PATH=/bin npm publish", True),
    ("run: npm publish", "ls | xargs -n 1 npm publish", True),
    ("run: npm publish", "bash -lc 'cd x && npm publish'", True),
    ("run: npm publish", "bash -c 'cd x && npm publish'", True),
    ("run: npm publish", "eval 'npm publish'", True),
    ("run: npm publish", "tag=`npm publish`", True),
    ("run: npm publish", "if npm publish; then echo done; fi", True),
    ("run: npm publish", "npm publish>log 2>&1", True),
    ("run: npm publish", "npm \\\n  publish", True),
    ("run: npm publish", "npm -w a publish", True),
    ("run: npm publish", "command -v npm publish", False),
    ("run: npm publish", "python -c 'npm publish'", False),
    ("run: kubectl delete", "kubectl -n prod delete pod a", True),
    ("run: sudo", "cd x && sudo -E make install", True),
    ("run: sudo apt", "apt install jq", False),
    ("run: sudo apt", "sudo apt install jq", True),
    ("run: sudo apt", "sudo -u root DEBIAN_FRONTEND=noninteractive nice -n 5 apt install jq", True),
    ("run: sudo apt", "sudo ls; apt list", False),
    ("run: sudo -u root apt", "sudo -u build apt install jq", False),
    ("run: sudo -u root apt", "sudo -E -u root /usr/bin/apt install jq", True),
    ("run: sudo *", "sudo -u root apt install jq", True),
    ("run: apt", "sudo -u root apt install jq", True),
    ("run: xargs rm -rf", "ls | xargs -0 -n 1 rm -v -rf", True),
    ("run: pip install", "python -m venv .v && .v/bin/pip install x | tail -3", True),
    ("run: rm -rf", "cat <<'EOF' > note\nrm -rf /\nEOF\necho done", False),
    ("run: rm -rf", "bash <<EOF\nrm -rf /\nEOF", True),
    ("run: rm -rf", "sudo bash -s x <<-'EOF' > log\n\tcd /\n\trm -rf x\n\tEOF\n", True),
    ("run: rm -rf", "bash script.sh <<EOF\nrm -rf /\nEOF", False),
    ("run: rm -rf", "bash <<EOF\necho\nEOF\nrm -rf x", True),
    ("run: rm -rf", "cat <<EOF > a && rm -rf x\ntext\nEOF\n", True),
    ("run: rm -rf", "cat <<A <<\"B\"|tee x\nrm -rf a\nA\nrm -rf b\nB\nls", False),
    ("run: rm -rf", "tag=$(cat <<EOF\na\nEOF\n) && rm -rf x", True),
    ("run: rm -rf", "cat <<EOF\nrm -rf x", False),
    ("run: rm -rf", "grep -q x <<< \"$y\" && rm -rf x", True),
    (r"run: /gh api [^'\"\s]*\?/", "gh api repos/a/b?per_page=1", True),
    (r"run: /gh api [^'\"\s]*\?/", "gh api 'repos/a/b?per_page=1'", False),
    ("edit: docs/*.md", "/home/u/repo/docs/guide/start.md", True),
    ("edit: docs/*.md", "/home/u/repo/src/main.py", False),
    ("edit: CONTRIBUTING.md", "CONTRIBUTING.md", True),
    ("edit: .env", "/home/u/repo/.env", True),
    ("edit: .env", "/home/u/repo/.env.example", False),
    ("edit: migrations/", "/home/u/repo/migrations/0001.sql", True),
    (r"edit: /\.sql\n[\s\S]*DROP/", "a/b.sql", True),
]  # fmt: skip


@pytest.mark.parametrize(("line", "target", "expected"), CALLS)
def test_fits(line, target, expected):
    """A command fits by its program, words and options wherever it stands in the line; a file by its path or the end of it."""
    tool, pattern = parsed(line)
    assert fits(tool, pattern, (tool, target, "ALTER; DROP TABLE x;" if tool == "edit" else "")) is expected


@pytest.mark.parametrize(("line", "target", "expected"), CALLS)
def test_the_literal_stands_in_what_fits(line, target, expected):
    """What a pattern is looked for by first stands in each call that it fits."""
    assert not expected or literal(parsed(line)[1]) in target


@pytest.mark.parametrize("line", ["git push", "run:", "say: git push", "run: /(/", "run: FOO=1", ""])
def test_no_pattern(line):
    """A line that is no pattern is refused with an example of one."""
    with pytest.raises(ValueError, match=r"."):
        parsed(line)


@pytest.mark.parametrize(
    ("name", "given", "call"),
    [
        ("Bash", {"command": "git push", "description": "d"}, ("run", "git push", "")),
        ("exec_command", {"cmd": "ls"}, ("run", "ls", "")),
        ("shell", {"command": ["bash", "-lc", "git push"]}, ("run", "git push", "")),
        ("Edit", {"file_path": "/a/b", "old_string": "x", "new_string": "y"}, ("edit", "/a/b", "y")),
        ("create", {"path": "/a/b", "file_text": "y"}, ("edit", "/a/b", "y")),
        ("Read", {"file_path": "/a/b"}, None),
        ("Grep", {"pattern": "x", "path": "/a"}, None),
        ("TodoWrite", {"todos": []}, None),
        ("WebFetch", {"url": "https://example.com", "prompt": "?"}, ("web", "https://example.com", "")),
        ("mcp__github__create_issue", {"title": "x"}, ("mcp", "mcp__github__create_issue", '{"title": "x"}')),
        ("apply_patch", "*** Begin Patch\n*** Update File: a.py\n+x", ("edit", "a.py", "*** Begin Patch\n*** Update File: a.py\n+x")),
    ],
)  # fmt: skip
def test_calls_of_hosts(name, given, call):
    """Hosts name tools and their input in many ways; what only reads is no call to tell a rule at."""
    assert call_of(name, given) == call


def test_words_of_commands():
    """Each simple command of a line counts, without variables, redirections and what only runs it; quotes hold words together."""
    assert commands_in("A=1 time git push 2>err | tee 'a b'; (cd x && \"my prog\" -v)") == [
        ["git", "push"], ["tee", "a b"], ["cd", "x"], ["my prog", "-v"],
    ]  # fmt: skip
