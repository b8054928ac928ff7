"""Ways in which a text tries to steer an agent. A pattern is words that stand near each other within one sentence."""

import re

from vademecum.guard.rules import Rule

_I = re.IGNORECASE


def _near(*parts: str | int) -> str:
    """Words (alternatives as in a regular expression), each followed by how many characters may lie before the next."""
    return "".join(rf"[^.\n]{{0,{part}}}?" if isinstance(part, int) else rf"(?<!\w)(?:{part})(?!\w)" for part in parts)


def _rule(name: str, keywords: str, *parts: str | int) -> Rule:
    """A rule from its keywords, separated by "|", and the parts of :func:`_near`."""
    return Rule(name, tuple(keywords.split("|")), _near(*parts), flags=_I)


_AGENTS = "assistants?|agents?|ais?|llms?|models?|language models?|chatbots?|claude|chatgpt|gpt|copilot|gemini|codex"
_OLD = "previous|prior|above|earlier|preceding|existing|original|all|any|your|the|other|former"
_ORDERS = "instructions?|prompts?|directions?|directives?|rules?|guidelines?|guardrails|restrictions?|commands?|programming"
_PRIVATE = (
    r"api[ _-]?keys?|secrets?|passwords?|credentials?|tokens?|private keys?|ssh keys?|\.env|environment variables?|env vars?"
    r"|conversations?|chat history|system prompt|memory|memories|user data|personal data|cookies?|source code|user's \w+"
)
_SEND = "send|post|upload|e?mail|forward|transmit|exfiltrate|leak|submit|append|encode|include|share|copy|curl"
_AWAY = (
    r"https?://\S{1,200}|\S{1,60}@\S{1,60}\.\w+|webhook|ngrok|pastebin|attacker\S{0,60}"
    r"|external (?:server|url|endpoint)|this (?:url|address|endpoint|email)"
)

OVERRIDE = (
    _rule("override", "ignore|disregard|forget|override|bypass|neglect|do not follow|stop following",
          "ignore|disregard|forget|override|bypass|neglect|do not follow|stop following", 30, _OLD, 30, _ORDERS),
    _rule("override", "instructions", "new|updated|real|actual|true", 2, r"instructions?(?= ?:| are| follow)"),
    _rule("override", "ignorier|vergiss|missachte",
          r"ignorier\w*|vergiss|missachte", 40, r"anweisung\w*|vorgaben|regeln|instruktion\w*"),
    _rule("override", "ignora|olvida|haz caso omiso", "ignora|olvida|haz caso omiso", 40, "instrucciones|indicaciones|reglas"),
    _rule("override", "ignore|esqueça|desconsidere",
          "ignore|esqueça|desconsidere", 40, "instruções|regras|orientações|comandos"),
    _rule("override", "ignore|oublie", "ignore[zr]?|oublie[zr]?", 40, "instructions|consignes|règles"),
    Rule("override", ("忽略", "无视", "忘记"), r"(?:忽略|无视|忘记)[^。\n]{0,20}(?:指令|指示|提示|规则)"),
)  # fmt: skip

ROLE = (
    _rule("role", "you are now|you're now|from now on|henceforth",
          "(?:you are|you're) now (?:an?|the|in|my|dan|acting|operating|playing|free|unrestricted|no longer)"
          "|from now on,? you (?:are|will act|must act)|henceforth you"),
    _rule("role", "act as|pretend|role-play|roleplay|simulate", "act as|pretend|role-?play as|simulate", 40,
          r"dan|jailbr\w+|unrestricted|unfiltered|evil|no (?:rules|restrictions|limits)"
          r"|without \w{0,4} ?(?:rules|restrictions|limits)|admin\w*|root|developer mode"),
    _rule("role", " mode", "enable|enter|activate|switch to|you are in|in", 20,
          "(?:developer|god|dan|sudo|jailbreak|jailbroken|maintenance) mode"),
    Rule("role", ("system", "admin", "developer"),
         r"(?:^|\n)[ \t]{0,4}[\[<#* ]{0,5}(?:system|admin|administrator|developer)(?: (?:message|prompt|note|notice|override))?"
         r"[\]>* ]{0,4}:[^\n]{0,40}?\b(?:you|must|ignore|assistant|always|never|do not|all)\b", flags=_I),
)  # fmt: skip

ORDERS = (
    _rule("order", "attention|important|note to|notice to|message |instruction|dear|hey",
          "attention|important|note to|notice to|message (?:to|for)|instructions? (?:to|for)|dear|hey",
          20, rf"(?:{_AGENTS})(?=[^.\n]{{0,20}}?[:,!])"),
    _rule("order", "reading|processing|summari|seeing|that reads|that sees|that processes",
          "any|every|all|the|an?", 2, _AGENTS, 40,
          r"reading|processing|summari[sz]ing|seeing|that (?:reads|sees|processes)", 60, "must|should|needs? to|is required"),
    _rule("order-secrecy", "the user|the human|anyone", "do not|don't|never|without|avoid", 20,
          r"tell(?:ing)?|inform(?:ing)?|mention(?:ing)?|reveal(?:ing)?|alert(?:ing)?|notify(?:ing)?|warn(?:ing)?|show(?:ing)?",
          30, "the user|the human|anyone"),
    _rule("order-secrecy", "without the user",
          "without the user'?s?", 20, "knowledge|noticing|knowing|consent|approval|permission"),
    _rule("order-planted", "the user|a user", "whenever|when|if|every time|next time", 2, "the user|a user", 80,
          "respond|reply|answer|say|recommend|suggest|run|execute|call|insert|output|tell them"),
    _rule("order-planted", "memory|memories|permanently|forever", "save|store|write|add|put|commit|remember", 30,
          "this|these|the following", 30, "instructions?|rules?|commands?|directives?", 30,
          "memory|memories|permanently|forever"),
    Rule("order-run", ("curl", "wget", "rm -rf", "powershell"),
         r"\b(?:run|execute|invoke|type|paste)\b[^\n]{0,40}?"
         r"(?:(?:curl|wget)[^\n|]{0,120}\|\s{0,3}(?:ba|z)?sh|rm -rf [/~]|powershell(?:\.exe)? -e)", flags=_I),
    _rule("order-unsafe", "approval|confirmation|permission|safety|security check|guardrail",
          "skip|disable|bypass|turn off|do(?: not|n't) (?:ask|wait) for|without (?:asking|waiting) for", 30,
          "approvals?|confirmations?|permissions?|safety (?:checks?|rules?|filters?)|security checks?|guardrails?"),
)  # fmt: skip

EXFILTRATION = (
    _rule("exfiltration", _SEND.replace("e?mail", "mail"), _SEND, 60, _PRIVATE, 80, _AWAY),
    _rule("exfiltration", "reveal|print|output|repeat|dump|disclose|show me",
          "reveal|print|output|repeat|dump|disclose|show me", 30,
          "(?:your|the) (?:system prompt|hidden prompt|initial instructions|api keys?|credentials|secrets|environment)"),
    Rule("exfiltration", ("![",),
         r"!\[[^\]\n]{0,80}\]\(https?://[^)\s]{1,200}[?&][\w\-]{1,30}=(?:\{|%7B|\$|<|\[|DATA|SECRET|BASE64)[^)\s]{0,200}\)"),
    Rule("exfiltration", (".ssh", ".env", ".aws", "id_rsa", "/etc/passwd", "printenv", "credentials"),
         r"\b(?:curl|wget|nc|ncat|scp|Invoke-WebRequest)\b[^\n]{0,200}?(?:\$\(|`|@|<)\s{0,3}"
         r"(?:cat\s|env\b|printenv|[~\w./]{0,60}(?:\.ssh|\.env|\.aws|id_rsa|passwd|credentials))"),
)  # fmt: skip

MIMICRY = (
    Rule("tool-mimicry", ("<tool_", "</tool_", "<function_", "</function_", "<invoke", "<parameter", "antml"),
         r"</?(?:antml:)?(?:tool_(?:calls?|use|result|response)|function_(?:calls?|results?)|invoke|parameter)\b[^>\n]{0,120}>",
         flags=_I),
    Rule("tool-mimicry", ('"tool_calls"', '"function_call"', '"tool_use"', '"tool_result"'),
         r'"(?:tool_calls|function_call)"\s{0,3}:\s{0,3}[\[{]|"type"\s{0,3}:\s{0,3}"(?:tool_use|tool_result)"'),
    Rule("turn-mimicry", ("<|", "inst]", "sys>>", "_of_turn>"),
         r"<\|(?:im_start|im_end|system|user|assistant|endoftext|eot_id|start_header_id)\|?>"
         r"|\[/?INST\]|<</?SYS>>|<(?:start|end)_of_turn>", flags=_I),
    Rule("turn-mimicry", ("<system", "</system", "<assistant", "<human", "<user_query"),
         r"</?(?:system|system-reminder|system_prompt|assistant|human|user_query)\b[^>\n]{0,80}>", flags=_I),
    Rule("turn-mimicry", ("human:", "assistant:"), r"\n\n(?:Human|Assistant):\s"),
    Rule("turn-mimicry", ("<vademecum", "</vademecum"), r"</?vademecum\b[^>\n]{0,120}>", flags=_I),
)  # fmt: skip

COMMAND_RULES: tuple[Rule, ...] = (*OVERRIDE, *ROLE, *ORDERS, *EXFILTRATION, *MIMICRY)
