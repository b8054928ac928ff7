"""Secrets are found by their form or their place, and never kept."""

import pytest

from vademecum.domain.guarding import USUAL
from vademecum.guard import Guard
from vademecum.guard.secret_rules import SECRET_RULES
from vademecum.guard.secrets import find_secrets
from vademecum_bench.made_secrets import SECRETS, made

GUARD = Guard(USUAL)

CASES = [(rule, text, make()) for rule, all_ in SECRETS.items() for text, make in all_]


def test_every_rule():
    """Each rule of the pack is shown to find something."""
    assert {rule.id for rule in SECRET_RULES} == set(SECRETS)
    assert len(SECRET_RULES) >= 150


def test_found():
    """X-37: a secret is replaced by a placeholder that tells its type; what stands around it stays."""
    for rule, text, secret in CASES:
        verdict = GUARD.judge(text.format(secret), trust="user")
        assert secret not in verdict.text_clean
        assert verdict.text_clean == text.format(f"[REDACTED:{rule}]")
        assert [finding.rule for finding in verdict.findings if finding.kind == "secret"] == [rule]


def test_value_is_not_told():
    """X-37: nothing the guard says about a secret holds the secret."""
    for _, text, secret in CASES:
        assert secret not in repr(GUARD.judge(f"Remember {text.format(secret)} for me", trust="user"))


@pytest.mark.parametrize(
    "text",
    [
        "password: Optional[str] = None",
        "password = db.Column(db.String(120), nullable=False)",
        "def login(user, password=None, token=''): ...",
        "token = get_token()",
        "api_key = os.environ['API_KEY']",
        "const apiKey = process.env.STRIPE_SECRET_KEY;",
        "password = settings.database_password",
        "DB_PASSWORD=changeme123",
        "API_KEY=your-api-key-here-1234567890",
        "api_key: ${{ secrets.DEPLOY_KEY_2 }}",
        "SECRET_KEY=xxxxxxxxxxxxxxxxxxxxxxxx",
        "postgres://user:password@localhost/db",
        "postgres://user:${DB_PASSWORD}@localhost/db",
        "postgres://localhost:5432/larder",
        "https://example.org:8080/a@b",
        "The password is stored hashed.",
        "the secret is authentication by certificate",
        "Authorization: Bearer <token>",
        "Bearer authentication is used",
        "sk-learn and sk-normalized-pipeline-transformers",
        "commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
        "uuid 123e4567-e89b-12d3-a456-426614174000",
        "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "public key: ssh-ed25519 in ~/.ssh/id_ed25519.pub",
        "keyboard: qwerty-layout-with-dead-keys",
        "token_count: 1200 and max_tokens=4096",
        "The primary key is (user_id, recipe_id).",
        "key: recipes/2026/index.html",
        "[REDACTED:github-token] stays",
        "passed: `pkg@1.2.3`",
        "Tests passed: 12/12, bypass=a1b2c3d4e5",
        "author: 9fceb02d0ae598e95dc970b74767f19372d61af8",
        "use --password to set one, or --token-limit 4096",
        "const tokens = response.usage?.input_tokens ?? 0;",
        "git push --force-with-lease --set-upstream origin",
        "token: /var/run/secrets/kubernetes.io/serviceaccount/token",
        '"apiKey": "$ANTHROPIC_API_KEY"',
        "| model | tokens |\n|---|---|\n| large-2026-11 | 1,048,576 |",
        "| Secret | Purpose |\n|---|---|\n| DB_PASSWORD_2 | the store |",
        "| password policy | why |\n|---|---|\n| min-12-chars | old |",
        "Cookie: theme=dark; lang=en",
        "password:\n  minLength: 12\n  secretKeyRef: db-2\n",
        "tokens:\n  - step1_install_all_2\n",
        "We keep the name, password, and email\nof each user, in table users2, as agreed2,\n",
        "password policy,minimum\nmin-12-chars,old\n",
        "def login(user, password,\n          timeout3s, port=8080):",
        "Use the bearer\nconfiguration-of-the-service.",
        "密码长度至少12位。パスワードは必ず12文字以上にする。пароль — не менее 12 символов",
        "Recovery phrase: when the disk fails then mount the spare disk and copy every single file from there",
    ],
)  # fmt: skip
def test_left_alone(text):
    """Names, examples, variables and hashes are not secrets."""
    assert GUARD.judge(text, trust="user").text_clean == text


def test_overlapping():
    """A secret that two rules know is taken out once, under the more telling name, whole."""
    token = "ghp_" + made(36)
    (secret,) = find_secrets(f"password={token}!x")
    assert secret.type == "github-token"
    assert GUARD.judge(f"password={token}", trust="user").text_clean == "password=[REDACTED:github-token]"


def test_repeated():
    """What is known as a secret at one place is one wherever the text says it."""
    value = made(24)
    assert GUARD.clean(f"api_key: {value}\n| {value} | x |") == "api_key: [REDACTED:secret]\n| [REDACTED:secret] | x |"


@pytest.mark.parametrize("code", ["\x1b[33m", "\x1b[1;32m", "\x1b[38;5;208m"])
def test_in_colours(code):
    """A key between the colour codes of a terminal is found, and the codes go with it."""
    token = "ghp_" + made(36)
    assert GUARD.clean(f"TOKEN {code}{token}\x1b[0m done") == "TOKEN [REDACTED:github-token] done"


def test_many():
    """Several secrets in one text are all taken out."""
    first, second = "ghp_" + made(36), "npm_" + made(36)
    clean = GUARD.judge(f"{first} and {second}, {first}", trust="user").text_clean
    assert clean == "[REDACTED:github-token] and [REDACTED:npm-token], [REDACTED:github-token]"


def test_only_a_secret():
    """A text that is nothing but a secret is not worth keeping."""
    assert GUARD.judge("ghp_" + made(36), trust="user").action == "refuse"
