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
    r"(?:passw(?:or)?d|passphrase|passcode|passwort|kennwort|contrase[ñn]a|senha|pwd|passkw(?![a-z])"
    r"|(?:(?<![a-z])|(?-i:(?<=[a-z])(?=P)))pass(?![a-z]))"
)
_PASSWORDS = ("pass", "pwd", "kennwort", "contrase", "senha")
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
    r"(?:(?:[ \t]\d{1,2})?[\"'`\])}]{0,2}[ \t]{0,16}(?:[=\-]>|[:?.+]{0,3}=|:{1,3}|,|is\b|was\b)[ \t]{0,16}"
    r"(?:\n\s{0,12}(?=[\"']))?[\"'`({\[]{0,2}"
    r"|[\w.\-]{0,20}>\s{0,12}|[ \t]{1,3}(?:string|str)[ \t]{0,2}=[ \t]{0,2}[\"'`]"
    r"|[ \t\-_]{1,8}(?:(?:key|token|secret|id|user)[ \t\-_=:]{1,3})?[\"'`({\[]{0,2})"
)
_QUOTED = r"[\"']([^\"'\n$%<>{}]{4,100})[\"']"
_OPTION = r"(?<=-)(?:passw(?:or)?d|passphrase|pass|pwd|token|secret|(?:(?<=api-)|(?<=api)|(?<=access-)|(?<=secret-))key)(?:[ \t]{1,3}|=)"

PLACE_RULES = (
    Rule(
        "connection-string",
        ("://",),
        r"(?<![A-Za-z0-9])[A-Za-z][A-Za-z0-9+.\-]{1,30}://[^\s:/@\"'<>]{0,80}:([^\s/@\"'<>]{3,200})@[\w\[]",
    ),
    Rule(
        "odbc-password",
        ("pwd=", "password="),
        r"(?:;|^)[ \t]{0,4}(?:pwd|password)=([^;\s\"']{4,100})(?:;|$)",
        flags=_I | re.MULTILINE,
    ),
    Rule(
        "authorization-header",
        ("bearer ", "basic ", "authorization"),
        r"(?:bearer|basic|authorization[\"']?[ \t]{0,2}[:=,])[ \t]{1,4}[\"']?([A-Za-z0-9+/._~\-]{16,2000}={0,2})",
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
        r"(?:passw(?:or)?d|pwd|secret|token|key|credential)s?[\w.\-]{0,12}[\"'][,\s{/]{1,24}[\"']?(?:value|default|contents?)"
        r"[\"']?\s{0,4}[=:]\s{0,4}[\"']([^\"'\s<>{}]{8,400})",
        2.6,
        _I,
        reach=0,
    ),
    Rule(
        "spoken-password",
        _PASSWORDS,
        rf"{_PASSWORD}(?:[ \t](?:for|of|für|de|del|do|da|to)\b[^.:\n]{{1,40}}?)?[ \t]{{1,3}}(?:is|was|ist|lautet|é|es)(?: now| jetzt)?"
        r"[ \t:]{1,3}[\"'`]?((?=\S{0,40}\d)[^\s(){}\[\]=<>$]{6,60}?)[\"'`]?(?=[\s.,;]|$)",
        2.5,
        _I,
        reach=0,
    ),
    Rule(
        "password",
        _PASSWORDS,
        rf"{_PASSWORD}[\w\-]{{0,24}}(?:{IS}|[ \t]{{1,3}}(?=[\"']))[\"'`]?"
        r"((?=[^\s\"'`]{0,40}(?:[\d!#$%&*+?@^~]|(?-i:[a-z][A-Z][A-Za-z]{0,20}[a-z][A-Z])))[^\s\"'`,;<>(){}\[\]]{6,200})",
        2.5,
        _I,
        reach=0,
    ),
    Rule(
        "secret",
        ("secret", "token", "key", "credential"),
        rf"{_SECRET}[\w\-]{{0,24}}{IS}([^\s\"'`,;<>(){{}}\[\]$]{{16,400}})",
        3.3,
        _I,
        reach=0,
    ),
    Rule(
        "opaque-secret",
        _NAMES,
        _NAMED + _JOINED + r"([A-Za-z0-9_][A-Za-z0-9_\-+/.=~%!^]{10,399}[A-Za-z0-9=_\-/+])",
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
    "named-value",
})  # fmt: skip

#: Rules with hardly any evidence: only values that look random count.
OPAQUE_RULES = frozenset({"opaque-secret", "prefixed-token"})
