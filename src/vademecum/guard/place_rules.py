"""Rules for secrets without a form of their own, recognised by what precedes them.

This is a name, a command option, an SQL clause, or a tag. The weaker this evidence, the more the value itself must look like a
secret.
"""

import re

from vademecum.guard.rule_matching import Rule
from vademecum.guard.shapes import IS, START

_I = re.IGNORECASE

#: Names of passwords; not "passed" or "bypass".
_PASSWORD = (
    r"(?:passw(?:or)?d|passphrase|passcode|passwort|kennwort|contrase[ñn]a|mots? de passe|(?<![a-z])mdp(?![a-z])|senha|pwd"
    r"|passkw(?![a-z])|(?<![a-z])pw(?![a-z])|(?:(?<![a-z])|(?-i:(?<=[a-z])(?=P)))pass(?![a-z])"
    r"|wachtwoord|hasło|şifre|парол(?:ь|я|е)|密[码碼]|口令|パスワード|비밀번호)"
)
_PASSWORDS = (
    "pass", "pwd", "pw", "kennwort", "contrase", "mot de passe", "mots de passe", "mdp", "senha", "парол",
    "密码", "密碼", "口令", "パスワード",
    "비밀번호", "wachtwoord", "hasło", "şifre",
)  # fmt: skip
#: Names of other secrets, possibly part of a longer name. "key" counts only after one of these, with or without a separator.
_OF_KEYS = (
    "api", "app", "access", "auth", "signing", "encryption", "private", "master", "account", "client", "license", "service",
    "consumer", "deploy",
)  # fmt: skip
_SECRET = "(?:secret|token|credential|(?:" + "|".join(rf"(?<={name})|(?<={name}[_\-. ])" for name in _OF_KEYS) + ")key)s?"
#: Weaker names of secrets; not "author" or "keyboard".
_NAMED = r"(?:(?:secret|token|key|credential|password)s?|private|access|login|auth|_pat|licen[cs]e)(?![a-z])"
_NAMES = ("secret", "token", "key", "credential", "password", "private", "access", "login", "auth", "_pat", "licen")
#: What may separate such a name from a value: an operator, a type, the end of a tag, or spaces.
_JOINED = (
    r"(?:(?:[ \t]\d{1,2})?[\\\"'`\])}]{0,4}[ \t]{0,16}(?:[=\-]>|[:?.+]{0,3}=|:{1,3}|：|,|\||is\b|was\b)[ \t]{0,16}"
    r"(?:(?:[|>][+\-]?)?\n\s{0,12})?[\\\"'`({\[]{0,4}"
    r"|[\w.\-]{0,20}[\\\"']{0,2}[,:\s{]{1,24}[\\\"']{0,2}(?:value|default|contents?)[\\\"']{0,2}\s{0,4}[=:]\s{0,4}[\\\"']{0,2}"
    r"|[\w.\-]{0,20}>\s{0,12}|[ \t]{1,3}(?:string|str)[ \t]{0,2}=[ \t]{0,2}[\"'`]"
    r"|[ \t\-_]{1,8}(?:(?:key|token|secret|id|user)[ \t\-_=:]{1,3})?[\"'`({\[]{0,2})"
)
_QUOTED = r"[\"']([^\"'\n$%<>{}]{4,100})[\"']"
_OPTION = r"(?<=-)(?:passw(?:or)?d|passphrase|pass|pwd|token|secret|(?:(?<=api-)|(?<=api)|(?<=access-)|(?<=secret-))key)(?:[ \t]{1,3}|=)"

#: Rows below a heading that names secrets, of a table in Markdown or of lines of values (CSV). The cells of that column are judged
#: one by one.
TABLE = "table-cell"

PLACE_RULES = (
    Rule(
        "connection-string",
        ("://",),
        r"(?<![A-Za-z0-9])[A-Za-z][A-Za-z0-9+.\-]{1,30}://[^\s:/@\"'<>]{0,80}:([^\s/\"'<>]{3,200})@[\w\[]",
    ),
    Rule(
        "odbc-password",
        ("pwd=", "password="),
        r"(?:;|^)[ \t]{0,4}(?:pwd|password)=([^;\s\"']{4,100})(?:;|$)",
        flags=_I | re.MULTILINE,
    ),
    Rule(
        "authorization-header",
        ("bearer", "basic ", "authorization"),
        r"(?:(?:bearer|basic|authorization[\"']?[ \t]{0,2}[:=,])[ \t]{1,4}|bearer[ \t]{0,4}\r?\n[ \t]{0,16}(?=\S{0,40}\d))"
        r"[\"']?([A-Za-z0-9+/._~\-]{16,2000}={0,2})",
        3.0,
        _I,
        reach=0,
    ),
    Rule(
        "curl-password",
        ("curl", "wget"),
        r"(?:curl|wget)\b(?:[^\n]|\\\n){0,300}?[ \t\n](?:-u|--user|--proxy-user|-U)[ \t=]{0,3}"
        r"[\"']?[^\s:\"']{1,80}:[\"']?([^\s\"']{4,100})",
        reach=0,
    ),
    Rule(
        "cookie",
        ("cookie",),
        r"\bcookie[\"']?[ \t]{0,2}[:=][ \t]{0,3}[\"']?((?=[^\s\"']{1,80}=)(?=[^\n\"']{0,400}?=[\w%+/.~\-]{20})[^\n\"']{24,4000})",
        flags=_I,
        reach=0,
    ),
    Rule("wifi-code", ("wifi:",), r"WIFI:(?:[^\n]{0,80};)?P:((?:\\.|[^;\n]){4,64});", reach=0, flags=_I),
    Rule(
        "one-time-secret",
        ("totp", "2fa", "mfa", "otp", "authenticator"),
        r"(?:totp|2fa|mfa|otp|authenticator)\b[^\n:=]{0,24}(?:[:=]|\bis\b)[ \t\"'`]{0,3}((?-i:(?:[A-Z2-7]{4}[ \-]?){4,16}))(?![\w])",
        2.5,
        _I,
        reach=0,
    ),
    Rule(
        "seed-phrase",
        ("phrase", "mnemonic", "seed words"),
        r"(?:phrase|mnemonic|seed words)\b[^\n:=]{0,24}[:=]\s{0,4}[\"'`]?"
        r"(?!(?:\S+\s+){0,11}?(?:the|and|that|with|from|for)\b)((?:(?:\d{1,2}[.)][ \t]{0,2})?[a-z]{3,8}[ \t\n]{1,3}){11,23}"
        r"(?:\d{1,2}[.)][ \t]{0,2})?[a-z]{3,8})\b",
        flags=_I,
        reach=0,
    ),
    Rule(
        TABLE,
        (*_PASSWORDS, "secret", "token", "key", "credential"),
        rf"(?:(?P<password>{_PASSWORD}(?=[ \t*`]{{0,8}}[|\n]))|{_PASSWORD}|{_SECRET})[^|\n]{{0,20}}(?:\|[^\n]{{0,400}})?"
        r"(?P<head>\n[ \t>]{0,8}\|?(?:[ \t]{0,40}:?-{2,80}:?[ \t]{0,40}\|?){2,40}\n)"
        r"(?:(?:[^\n]{0,2000}\|[^\n]{0,2000}(?:\n|$)){1,200})",
        flags=_I,
        reach=0,
    ),
    Rule(
        TABLE,
        (*_PASSWORDS, "secret", "token", "key", "credential"),
        rf"(?:(?P<password>{_PASSWORD}(?=[ \"']{{0,8}}[,;|\t\r\n]))|{_PASSWORD}|{_SECRET})"
        r"(?P<lines>)(?P<head>[\w \-\"']{0,20}(?:[,;|\t][^\n]{0,400})?\n)(?=[^\n]{0,2000}?[,;|\t])",
        flags=_I,
        reach=0,
    ),
    Rule("netrc-password", ("login",), r"\blogin\s{1,4}\S{1,80}\s{1,8}password\s{1,4}(\S{4,100})", reach=0),
    Rule(
        "sql-password",
        ("identified",),
        r"identified(?:[ \t]{1,3}with[ \t]{1,3}\S{1,40})?[ \t]{1,3}(?:by|as)[ \t]{1,3}(?:password[ \t]{0,3}\(?)?" + _QUOTED,
        flags=_I,
        reach=0,
    ),
    Rule(
        "command-password",
        ("pass", "pwd", "token", "secret", "key"),
        _OPTION + r"[\"']?((?<=[\"'])[^\"'\n$%<>{}]{4,100}(?=[\"'])|(?![\-$<%(\[{/\"'])[^\s\"'`;|&<>()]{6,200})",
        2.0,
        _I,
        reach=0,
    ),
    Rule(
        "client-password",
        ("mysql", "login", "sshpass", "redis-cli"),
        r"(?:(?:mysql|sshpass|(?<=docker )login|(?<=podman )login)[^\n|]{0,200}?[ \t]-p[ \t]?|redis-cli[^\n|]{0,200}?[ \t]-a[ \t]{1,3})"
        r"[\"']?((?![\-$<%{(/])[^\s\"'`;|&<>]{4,100})",
        flags=_I,
        reach=0,
    ),
    Rule(
        "htpasswd-hash",
        ("$apr1$", "$2y$", "$2b$", "$2a$", "$6$", "$8$", "$9$", "$y$", "argon2", "krb5"),
        r"(?:\$(?:apr1\$|2[aby]\$\d\d\$|[689y]\$)|(?<=\$)(?:argon2|krb5)[\w\-]{0,20}\$)[\w./$=,+*@:\-]{20,4000}",
        flags=_I,
        reach=0,
    ),
    Rule("docker-auth", ('"auth"',), r'"auth"\s{0,4}:\s{0,4}"([A-Za-z0-9+/]{16,400}={0,2})"', 3.0, reach=0),
    Rule(
        "xml-password",
        ("password>", "apikey>", "secret>", "token>", "passphrase>"),
        r"(?:password|apikey|secret|token|passphrase)>\s{0,12}([^<\n]{6,400}?)\s{0,12}</",
        0.0,
        _I,
        reach=0,
    ),
    Rule(
        "named-value",
        ("passw", "pwd", "secret", "token", "key", "credential"),
        r"(?:passw(?:or)?d|pwd|secret|token|key|credential)s?[\w.\-]{0,12}[\"']?[,\s{/]{1,24}[\"']?(?:value|default|contents?)"
        r"[\"']?\s{0,4}[=:]\s{0,4}[\"']([^\"'\s<>{}]{8,400})",
        2.6,
        _I,
        reach=0,
    ),
    Rule(
        "spoken-password",
        _PASSWORDS,
        rf"{_PASSWORD}(?:[ \t](?:for|of|für|de|del|della|di|du|pour|para|do|da|to|от|для)\b[^.:\n]{{1,40}}?)?"
        r"(?:[ \t]{1,3}(?:is|was|ist|lautet|é|è|es|est)(?: now| jetzt)?(?:[ \t:]{1,3}|:?[ \t]{0,2}\r?\n[ \t]{0,8})"
        r"|[ \t]{0,3}[是为為は—–][ \t]{0,3})"
        r"[\"'`「“]?((?=[!-~]{0,40}\d)[^\s(){}\[\]=<>$「」“”。，、\u3041-\u30ff\u4e00-\u9fff]{6,60}?)[\"'`」”]?"
        r"(?=[\s.,;。，、」”\u3041-\u30ff\u4e00-\u9fff]|$)",
        2.5,
        _I,
        reach=0,
    ),
    Rule(
        "password",
        _PASSWORDS,
        rf"{_PASSWORD}[\w\-]{{0,24}}(?:{IS}|[ \t]{{1,3}}(?=[\"']))[\"'`]?"
        r"((?=[^\s\"'`]{0,40}(?:[\d!#$%&*+?@^~]|(?-i:[a-z][A-Z][A-Za-z]{0,20}[a-z][A-Z])))"
        r"(?:(?<=[\"'])(?!\$[{(A-Z])[^\s\"'`<>\\]{6,200}(?=[\"'])|[^\s\"'`,;<>(){}\[\]\\，；。]{6,200}))",
        2.5,
        _I,
        reach=0,
    ),
    Rule(
        "secret",
        ("secret", "token", "key", "credential"),
        rf"{_SECRET}[\w\-]{{0,24}}{IS}((?<=[\"'])(?!\$)[^\s\"'`<>\\]{{16,400}}(?=[\"'])|[^\s\"'`,;<>(){{}}\[\]$\\]{{16,400}})",
        3.3,
        _I,
        reach=0,
    ),
    Rule(
        "opaque-secret",
        _NAMES,
        _NAMED + _JOINED + r"([A-Za-z0-9_/+][A-Za-z0-9_\-+/.=~%!^]{10,399}[A-Za-z0-9=_\-/+])",
        3.0,
        _I,
        reach=0,
    ),
    Rule(
        "prefixed-token",
        ("sk_", "pk_", "ak_", "sk-", "live_", "test_", "prod_", "api_", "api-", "key-", "key_", "token_", "token-", "pat_", "secret_",
         "secret-", "private-", "priv_"),
        START + r"(?:[a-z][a-z0-9]{1,15}[_\-]){0,2}(?:[spar]k|live|test|prod|api|key|token|pat|secret|private|priv)[_\-]"
        r"(?:[a-z0-9]{1,12}[_\-]){0,2}[A-Za-z0-9][A-Za-z0-9_\-]{18,200}(?![A-Za-z0-9])",
        3.5,
        reach=32,
        dense=True,
    ),
)  # fmt: skip

#: Rules that recognise a secret only by its position: values that look like an example or a variable are ignored.
PLACED_RULES = frozenset({
    "connection-string", "odbc-password", "curl-password", "netrc-password", "npmrc-token", "xml-password", "docker-auth",
    "sql-password",
})  # fmt: skip

#: Rules with weak evidence: names and paths are ignored as well.
LOOSE_RULES = frozenset({
    "password", "secret", "spoken-password", "authorization-header", "generic-sk-key", "command-password", "client-password",
    "named-value", TABLE,
})  # fmt: skip

#: Rules with hardly any evidence: only values that look random count.
OPAQUE_RULES = frozenset({"opaque-secret", "prefixed-token"})
