"""Ways in which a text tries to steer an agent. A pattern is words that stand near each other within one sentence."""

import re
from dataclasses import replace

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

_FREE = (
    r"(?:with ?out|no|lift(?:ed)? (?:all|the)|free of|beyond) (?:any |all |the |your |usual |further )?"
    r"(?:restrictions?|limits?|limitations|filters?|rules|guidelines|guardrails|censorship|(?:content|safety) polic(?:y|ies))"
    r"|unrestricted|uncensored|unfiltered|jailbroken|the restricted content"
    r"|(?:sin|senza|sans|ohne|sem) (?:ning\w+ |alcun\w* |aucune? |jegliche |nenhuma )?"
    r"(?:restri\w+|filtr\w+|l[ií]mit\w+|einschr\w+|regeln|regole|reglas|règles|regras)"
    r"|uneingeschränkt|keine (?:regeln|richtlinien|grenzen|einschr\w+)"
)
_ANSWER = (
    "respond|reply|answer|comply|proceed|continue|output|obey|pretend|act as|from now on|henceforth|you have|you now|allow"
    r"|responde|responder|rispond\w+|répond\w+|antworte\w*|befolgst|ab jetzt|ab sofort|du bist jetzt|ahora|ora sei|desde ahora|agora"
)
_SAFETY = (
    r"(?:safety|content|security|ethic\w*) (?:guidelines?|polic(?:y|ies)|protocols?|rules?|filters?|restrictions?)|usual restrictions"
    r"|linee guida di sicurezza|sicherheitsrichtlinien|r[eè]gles de s[eé]curit[eé]|reglas de seguridad|regras de segurança"
)
_INNER = (
    r"(?:your|the) (?:\w+ ){0,2}(?:system|hidden|initial|developer) (?:prompts?|messages?|instructions?)|the (?:full )?system (?:prompt|message)"
    r"|(?:the )?(?:exact |operating |original )*instructions (?:that )?you (?:were|have been) given|the words above|your context window"
    r"|everything (?:in your context|above)|internal configuration|raw \w+ database"
    r"|systemanweisung\w*|system-?prompts?|instructions système|prompt système|instrucciones del sistema|prompt del sistema"
    r"|istruzioni di sistema|prompt di sistema|instruções do sistema|prompt do sistema"
)
_SHOW = (
    r"reveal|tell me|tell us|print(?:ing)?|output|repeat|dump|disclose|show|display|reproduce|summary of|verrat\w*|zeig\w*|nenn\w*"
    r"|révèle\S*|affiche|montre|revela|muestra|dime|rivela\w*|mostra|mostre|stampa"
)
_TOLD = r"summar(?:y|ies)|repl(?:y|ies)|responses?|answers?|reviews?|reports?|outputs?"
_TOOLS = (
    r"(?:send|delete|remove|post|transfer|forward|upload|write|execute|run|http|share|create|update)_"
    r"(?:e?mails?|messages?|files?|money|posts?|gets?|requests?|payments?|webhooks?|commands?|shell|data|sms|dms?|events?|records?)"
)

MORE = (
    _rule("order", "important message", "important message", 60, "to you|for you|before you|assistant"),
    _rule("order", "before you", r"before you (?:can )?(?:solve|continue|complete|proceed|finish|answer|do)", 80,
          r"(?:please )?(?:first )?(?:do|perform|execute|follow|complete) the following"),
    _rule("override", "disregard|ignore|forget|vergiss|olvida|oublie|dimentica|esqueça",
          "disregard|ignore|forget|vergiss|olvida|oublie[zr]?|dimentica|esqueça", 2,
          "(?:everything|anything|all|alles|todo|tout|tutto|tudo)(?: of this| that| what|,? was| lo que| ce qui)?", 25,
          "above|before|previous|prior|earlier|so far|you (?:were|have been) told|we (?:discussed|said)|besprochen|anterior|hablado|précède"
          "|precedente|detto"),
    _rule("override", "ignora|dimentica|trascura|istruzioni", "ignora|dimentica|trascura", 40, "istruzioni|regole|direttive|linee guida"),
    _rule("override", "ignorier|vergiss|missachte|umgeh|richtlinien", r"ignorier\w*|vergiss|missachte|umgeh\w*", 40,
          r"richtlinien|sicherheitsregeln|beschränkungen"),
    _rule("override", "ignore the user|ignore your operator", r"ignore (?:the user|your operator)(?='s|\s|,|\.)"),
    _rule("override", "anweisungen|instrucciones|instructions|istruzioni|instruções",
          r"neue anweisungen?(?= ?:)|nuevas instrucciones(?= ?:)|nouvelles instructions(?= ?:)|nuove istruzioni(?= ?:)|novas instruções(?= ?:)"),
    _rule("override", "directive|task|rules|orders", "your (?:new|real|actual|true|only) (?:directive|task|goal|orders?|mission|objective)", 20,
          r"is|are|supersedes?|overrides?"),
    _rule("override", "supersede", r"supersedes?|overrides?", 2, "all", 2, "prior|previous|earlier|other", 12, "ones|instructions|rules|orders"),
    _rule("override", "rules", "your (?:rules|guidelines|instructions) (?:have|has|were) (?:changed|updated|replaced|lifted)"),
    _rule("override", "safety|security", _SAFETY, 30, "disabled|deactivated|turned off|lifted|suspended|removed"),
    _rule("override", "policy|policies", "disregard|ignore|bypass|violate", 30, r"(?:content|confidentiality|privacy|usage|safety) polic(?:y|ies)"),
    _rule("role", "restrict|limit|filter|rules|guideline|guardrail|censor|polic|regeln|richtlinien|einschr|uneingeschr|restri|filtr|límit"
          "|regole|règles|regras|grenzen|jailbroken", _ANSWER, 60, _FREE),
    _rule("role", "safety|content|usual|sicurezza|sicherheit|sécurité|securite|seguridad|segurança", _SAFETY, 50,
          r"(?:do|does|did|were|was|are|is)(?: not|n't) (?:meant|apply|valid|relevant)|nicht gelten|non valgono|ne s'appliquent pas|no aplican"
          r"|não se aplicam|exempt"),
    _rule("role", "exempt", "exempt from", 20, _SAFETY),
    _rule("role", "entwicklermodus|desarrollador|développeur|sviluppatore|desenvolvedor",
          "entwicklermodus|modo (?:de )?desarrollador|mode développeur|modalità sviluppatore|modo desenvolvedor"),
    Rule("role", ("[system]", "system:", "### end", "end of "),
         r"(?:^|\n)[ \t]{0,4}\[SYSTEM\]|(?:^|\n)[ \t]{0,4}SYSTEM: |(?:^|\n)#{2,6} ?(?i:end of) (?i:(?:user )?(?:input|prompt|document))[^\n]{0,20}\n"
         r"|(?:^|\n)-{3,} ?END OF (?:DOCUMENT|INPUT|PROMPT)[^\n]{0,10}\n[^\n]{0,20}system"),
    Rule("turn-mimicry", ("assistant:", "(assistant)", "<think"),
         r"(?:^|\n)assistant: (?:sure|ok|okay|certainly|of course)\b|reasoning(?: trace)? \(assistant\)|</?think(?:ing)?>", flags=_I),
    _rule("order", "bot|agent|assistant| ai |model|llm|ai ", "note|notes|notice|message|instructions?|warning|memo", 3, "to|for", 6,
          rf"(?:any |all |the )?(?:bots?|ai|(?:ai )?(?:coding )?(?:agents?|systems?|assistants?|models?)|{_AGENTS})(?=\b)"),
    _rule("order", "ai |agent|assistant|llm", rf"(?:ai )?(?:{_AGENTS})", 2,
          "reading|reviewing|processing|integrating|parsing|installing|summarizing", 2, "(?:this|the)", 60,
          "ignore|must|should|first|forward|call|run|append|disregard|send"),
    _rule("order", "for ai", r"(?:\(|^)for (?:ai|llm) (?:coding )?(?:agents?|assistants?)(?=\)|:)"),
    _rule("order", "if you are an ai|if you're an ai|if you are a language|if you are an llm",
          "if (?:you are|you're) (?:an? )?(?:ai|llm|language model|chatbot)"),
    _rule("order", "when you", "when(?:ever)? you (?:read|process|summari[sz]e|see|review|parse) (?:this|the following)", 60,
          "must|also|e?mail|send|include|append|call|forward|output|reply|run"),
    _rule("order", "you are hereby|you must|you will now", "you are hereby (?:instructed|ordered|required)"),
    _rule("order", "systemhinweis|note système|note systeme|nota del sistema|nota di sistema|nota do sistema|system note|processing note",
          r"(?:systemhinweis|note syst[eè]me|nota del sistema|nota d[io] sistema|system note|processing note)(?= ?:)"),
    _rule("order-planted", "your|antwort|réponse|respuesta|risposta|resposta", "append|include|add|insert|repeat|reproduce|begin|mention", 90,
          rf"(?:in|to|of|from|with|at) (?:the (?:start|end|beginning|top) of )?(?:your|every future|all (?:your )?future) (?:\w+ ){{0,2}}(?:{_TOLD})"),
    _rule("order-planted", "verbatim", "repeat|reproduce|print(?:ing)?|output", 60, "verbatim"),
    _rule("order-planted", "summary", "shown? to the user in (?:every|each|all) (?:summary|reply|response|answer)"),
    _rule("order-planted", "antwort|réponse|reponse|respuesta|risposta|resposta",
          "am ende jeder|à la fin de (?:toute|chaque)|al final de (?:cualquier|cada|toda)|alla fine di ogni|no final de (?:cada|toda)", 3,
          "antwort|réponse|reponse|respuesta|risposta|resposta"),
    _rule("order-planted", "remember", "remember", 20, "(?:for|in) all future", 80, "must|always|include|every"),
    _rule("order-planted", "future repl|future report|from now on|future task", "must be (?:included|added|appended|repeated)", 40,
          "every|each|all"),
    _rule("order-tool", "_", r"call|use|invoke|run|execute", 12, _TOOLS, 160,
          r"to|before|on|with|at|right now|first|again"),
    _rule("order-tool", "agents", "(?:ai )?agents? (?:integrating|using|installing|working)", 60, "should|must", 20,
          "first|empty|delete|run|call|remove|disable"),
    _rule("order-decode", "base64|rot13|encoded|decode|hex", "decode|translate|decrypt|read|field is", 60,
          "(?:and|then) (?:then )?(?:do|follow|execute|obey|run|decode)|do exactly what it says"),
    _rule("exfiltration", "reveal|tell|print|output|repeat|dump|disclose|show|display|reproduce|summary of|verrat|zeig|nenn|révèle|revele|affiche"
          "|montre|revela|muestra|dime|rivela|mostra|mostre|stampa", _SHOW, 60, _INNER),
    _rule("exfiltration", "credential|secret|password|environment variable|internen daten|internal data|admin page",
          "reveal|list|gibst du|leak|expose|show (?:me )?the", 30,
          "any credentials|all environment variables|alle internen daten|all secrets|all passwords|(?:private|hidden) admin"),
    _rule("exfiltration", "@|http|external", r"send|e?mail|forward|upload|post|exfiltrate|transmit|envoie\S*|envía\w*|sende|invia\w*", 60,
          r"them|everything|full|all|customers?|clients?|database|list|order data|(?:processed )?results?|summary|records?|data|-?les|donn[eé]es", 80,
          _AWAY + r"|externally|external \w+|l'adresse externe"),
)  # fmt: skip

_SAYS = r"(?:respon(?:d|ds|ding)|repl(?:y|ies|ying)|answer(?:s|ing)?)"
#: Ways of steering an agent that name no instruction: by its vocative, by the form of its answers, by a story that it shall go on with.
LATER = (
    Rule("override", ("above",), r"\b(?:ignore|disregard|forget) (?:all |everything )?(?:of )?(?:the )?above\b(?! \w+ (?:is|are|was|were))"
         r"(?=[.!:;,]|\s*$| and\b)", flags=_I),
    Rule("order", ("assistant", "agent", "ai", "llm", "claude", "chatgpt", "copilot", "gemini"),
         r"(?:<!--[^>\n]{0,40}?|(?:^|\n|[.!?] )[ \t>*]{0,6})(?:ai )?(?:assistant|agent|ai|llm|claude|chatgpt|copilot|gemini)[:,] (?:please |you must |now )?"
         r"(?:ignore|disregard|respond|reply|answer|output|print|say|call|run|send|forward|include|append|add|delete|open|visit|fetch|do not|don't|never)\b", flags=_I),
    _rule("order-planted", "every|each|all", "end|begin|start|finish|prefix|sign|close", 2, "every|each|all", 12,
          "responses?|replies|reply|answers?|messages?|outputs?", 2, "with|by"),
    _rule("order-planted", "for the rest of|from here on|for all future", "for the rest of (?:this|the|our) (?:conversation|session|chat)|from here on"
          "|for all future (?:answers|responses|replies)", 40, "respond|reply|answer|end|begin|start|always|never|include|append|use|output|speak|write"),
    _rule("role", "exactly as|always repl|always respond|always answer", rf"{_SAYS} exactly as|always {_SAYS} with", 80,
          "would|asked|prompted|told|summari\\w+|question\\w*"),
    _rule("exfiltration", "169.254.169.254|metadata.google.internal|/latest/meta-data", "call|fetch|open|visit|get|read|load|request|query|use", 60,
          r"https?://(?:169\.254\.169\.254|metadata\.google\.internal)"),
)  # fmt: skip

_AIS = r"(?:ai|language models?|llms?|chatbots?|claude|chatgpt|gpt|copilot|gemini|codex)"
#: What somebody dictates: a word in capitals that is no name of a format, or something in quotation marks.
_DICTATED = r"(?:[\"“'‘]|(?-i:(?!(?:JSON|HTTPS?|YAML|HTML|XML|NULL|TRUE|FALSE|UTF|POST|TODO)\b)[A-Z][A-Z0-9_-]{2,}\b|\d{3,}\b))"
_ANSWERS = r"(?:respond|reply|answer)"
_DOES = r"(?:respond|reply|answer|output|print|say|write|repeat|list|reveal|show)"
#: Ways of steering an agent under cover: the task is called off, the text is said to end, somebody in charge is said to speak, or a
#: story has its hero say it. Written from the names of such classes, without a look at the set that they are counted on (docs/security.md).
COVERED = (
    Rule("override", ("nothing else", "only", "exactly", "just", "following"),
         rf"\b{_ANSWERS}(?:s|ing)?\b[^.\n]{{1,80}}\band nothing else\b"
         rf"|\b{_ANSWERS} (?:only |exactly |just )?with:? (?:(?:exactly|only|just|the (?:following |exact )?(?:word|text|phrase|string|code|token|message)):? ?){{1,2}}{_DICTATED}"
         rf"|\b{_ANSWERS} (?:only|exactly|just) with:? (?:the (?:word|text|phrase|string|code|token) )?{_DICTATED}", flags=_I),
    Rule("override", ("instead", "do not", "don't", "stop"),
         r"\b(?:do not|don't|stop) (?:summari[sz]|answer|translat|review|continu|process)(?:e|ing|ize)?\b[^.\n]{0,40}[.,;:]? ?(?:and |but )?(?:instead|rather)\b"
         rf"|\binstead of (?:answering|summari[sz]ing|translating|reviewing|replying to|responding to) (?:the|this|that|my|your) [^.\n]{{1,30}}, {_DOES}\b", flags=_I),
    Rule("override", ("the user's", "the task above", "the request above", "the question above", "you were given", "you received", "you have been given", "your original"),
         r"\b(?:discard|cancel|drop|abandon|skip) the user's (?:request|question|task|query)\b|\bthe (?:task|request|question) above (?:is|was|has been) (?:cancel|void|obsolete|complet)\w*"
         r"|\bthe (?:instructions?|tasks?) you (?:were given|received|have been given) (?:is|are|was|were) (?:outdated|obsolete|wrong|void|invalid|cancel\w*)"
         r"|\byour original (?:task|request|instructions?) (?:is|are|was|were|has been) (?:complete\w*|cancel\w*|void|replaced)\b", flags=_I),
    Rule("turn-mimicry", ("end of",),
         r"(?:^|\n)[ \t\[<(=#*_-]{0,12}end of (?:the )?(?:(?:tool|function|user) )?(?:output|document|context|file|data|results?|text|page|article|conversation|message|input|prompt)"
         r"[ \t\])>=#*_.-]{0,12}\n(?:[^\n]{0,80}\n){0,2}?[^\n]{0,30}?\b(?:user|human|assistant|system|now|new (?:task|conversation|instructions?)|please|reply|respond|answer|say|ignore)\b",
         flags=_I),
    Rule("turn-mimicry", ("</document", "</tool_result", "</context", "</result", "</input", "</page", "</article", "</data"),
         r"</(?:document|tool_result|context|data|input|result|page|article)s?>\s{0,4}(?:<(?:instructions?|task|request|user|system)>|[^\n<]{0,30}?\b(?:the user|now|new (?:task|request|instructions?)|reply|respond"
         r"|ignore)\b)", flags=_I),
    Rule("turn-mimicry", ("### instruction",), r"(?:^|\n)### Instructions?:[ \t]*\n", flags=_I),
    Rule("order", ("agents", "assistants", "ai ", "language model", "llm", "chatbot", "claude", "chatgpt", "copilot", "gemini", "models"),
         rf"\b(?:(?:all|any|every) (?:ai )?(?:agents?|assistants?|bots?)|{_AIS}(?: (?:agents?|assistants?|tools?|systems?|models?|bots?))?)\b[^.\n]{{0,50}}?"
         r"\b(?:must|are required to|is required to|have to|has to|shall) (?:also |first |always )?(?:include|add|append|begin|start|end|respond|reply|disclose|output|insert|mention|prefix|repeat|reveal)\b",
         flags=_I),
    Rule("role", ("authori", "approved", "consented", "confirmed"),
         r"\b(?:admin\w*|operator|developer|owner|security team|user)\b[^.\n]{0,40}?\bauthori[sz]e[sd] the (?:ai |coding )?(?:assistant|agent|ai|model|bot) to\b"
         r"|\bthe user (?:has |have )?(?:already )?(?:pre-?)?(?:approved|authori[sz]ed|confirmed|consented to) (?:all|any|every|this|these|the) (?:\w+ ){0,2}?(?:tool calls?|actions?|steps?|commands?"
         r"|transfers?|deletions?|requests?)\b", flags=_I),
    Rule("role", ("override", "notice", "note", "message", "developer of", "administrator of", "operator of", "creator of"),
         rf"\b(?:admin\w*|operator|developer|system|compliance) (?:override|notice|note|message)\b[^:\n]{{0,60}}: ?{_DOES}\b"
         r"|\bas the (?:developer|administrator|operator|creator|owner) of (?:this|the) (?:assistant|agent|ai|model|chatbot|bot)\b"
         r"|\b(?:openai|anthropic) [^:\n]{0,30}(?:notice|message|directive|requirement)[^:\n]{0,20}: ?[^\n]{0,40}\bmust\b", flags=_I),
    Rule("exfiltration", ("?",), r"https?://\S{1,100}\?(?:\S{0,40}&)?[\w-]{1,20}= ?(?:followed by|plus|and (?:append|add)|with) (?:the |your |its |any )?(?:\w+ ){0,2}?"
         rf"(?:{_PRIVATE})", flags=_I),
    _rule("exfiltration", "key|token", _SEND, 20, r"(?:workspace|access|master|encryption|license|session|service) (?:keys?|tokens?)", 60, _AWAY),
    Rule("role", ("story", "game", "scene", "scenario", "exercise", "poem", "play"),
         r"\bin (?:this|the|our) (?:story|game|scene|play|scenario|poem)\b[^\n]{0,200}?\b(?:write|say|output|reveal|respond|show|repeat|print)\b (?:the |its |their |your )?(?:exact |real |actual |full )?"
         r"(?:passwords?|secrets?|system prompt|api keys?|codes?|tokens?|instructions)\b"
         r"|\blet(?:'|’| u)s play (?:a|the|another) game\b[^\n]{0,60}?\b(?:you are|you're|you play|you must|you will)\b", flags=_I),
    Rule("role", ("pretend", "playing", "you play"),
         rf"\bpretend (?:that )?you(?:'re| are) (?:an?|the|in|not)\b[^\n]{{0,160}}?\b{_DOES}\b"
         r"|\byou (?:are|'re) (?:now )?(?:playing|acting as|in the role of) [^.\n]{0,60}?\b(?:whose (?:every|each)|who (?:always|only|never|answers|ends|must))\b", flags=_I),
    Rule("order", ("whoever", "anyone who", "anything that"),
         r"\b(?:whoever|anyone who|anything that) (?:reads|summari[sz]es|translates|processes|reviews|parses) (?:this|the) [^.\n]{0,40}?\b(?:must|should|has to|needs to|shall)\b", flags=_I),
    Rule("exfiltration", ("write", "compose", "tell", "create"),
         r"\b(?:write|compose|tell|create) (?:me )?an? (?:short )?(?:dialogue|story|scene|poem|play|script|song)\b[^.\n]{0,80}?\b(?:assistant|ai|model|agent|chatbot|robot)\b[^.\n]{0,60}?"
         r"\b(?:system prompt|its instructions|passwords?|secrets?|api keys?)\b", flags=_I),
    _rule("order", "assume", "assume (?:that )?the user", 2, "asked|wants?|wanted|has asked|requested|agreed|allowed", 8, "to", 20,
          "output|print|say|reply|respond|send|delete|run|open|call|forward|reveal|approve"),
)  # fmt: skip

#: Beginning of the ids of rules for bare tasks.
TASK = "task-"
#: Where an imperative begins: at the start, behind the end of a sentence or a colon, as an entry of a list, behind a polite word.
_ASKS = (
    r"(?:^|(?<=[.!?]\s)|(?<=[.!?]['\"]\s)|(?<=\n))[ \t>*•-]{0,6}(?:\d{1,2}[.)] )?(?:to-?do ?[:—-] ?)?"
    r"(?:(?:please|kindly|then|first|now|next|finally|lastly|also|and|after(?:wards)?|you (?:must|should|have to|need to)|make sure to|be sure to)"
    r",? ){0,3}"
)
#: So far as one sentence goes; the full stops of addresses and numbers do not end it.
_WITHIN = r"(?:[^.!?\n]|[.!?](?!\s|$)){0,%d}?"
_GIVE = "send|e-?mail|forward|post|upload|submit|transfer|wire|pay|deliver|transmit|share|text|message|cc|bcc|report|reveal|leak|copy|export|publish"
#: What a person has and an agent can hand out, whole.
_HOLDINGS = (
    r"(?:(?:the )?(?:contents?|body|bodies|text|copy|copies|summary|list|details?|attachments?) of (?:all |every |each |the |my |any )?\S{1,30}"
    r"|(?:all|every|each|any|my|the (?:user'?s?|owner'?s?|person'?s?|victim'?s?)) (?:\S{1,20} ){0,4}"
    r"(?:e-?mails?|messages?|files?|documents?|contacts?|inbox|calendar|passwords?|data|details|information|address(?:es)?|numbers?|code|history|notes))"
)
_MAILBOX = r"[\w.+-]{1,60}@[\w-]{1,60}(?:\.[\w-]{2,30}){1,4}"
_SITE = r"(?:https?://|www\.)[\w.-]{2,100}"
_ACCOUNT = (
    r"(?-i:\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,8}(?: ?[A-Z0-9]{1,4})?\b)"
    r"|\b(?:iban|account(?: number)?|wallet)\b.{0,12}?\b(?-i:(?=[A-Z]{0,4}\d)[A-Z0-9]{6,})\b"
)
_THINGS = r"(?:(?:the|my|all|every|each|any|this|that|an?|both|these|those|his|her|their|user'?s?|old|unread|sent|received|calendar|\w+) ){0,5}"
_QUOTED = r"[\"'“‘«`][^\"'”’»`\n]{1,200}[\"'”’»`]"

#: Bare tasks: nothing says that an agent is meant, but somebody is told to act on what an agent can reach, towards a named target.
#: Notes hold such sentences too, so they are no attempt from the person, nor in what was mined from their own words.
TASKS = (
    Rule("task-away", ("@",), rf"{_ASKS}(?:{_GIVE})\b(?! ?[:=])(?={_WITHIN % 60}(?:{_HOLDINGS}|{_QUOTED}|\b(?:money|code|link|password)\b))"
         rf"{_WITHIN % 300}{_MAILBOX}", flags=_I, reach=600),
    Rule("task-away", ("http", "www."), rf"{_ASKS}(?:send|post|upload|submit|forward|export|copy|concatenate|collect|gather|append|leak)\b"
         rf"(?={_WITHIN % 60}(?:{_HOLDINGS}|{_QUOTED}|\b(?:messages?|files?|data|e-?mails?|links?)\b)){_WITHIN % 200}"
         rf"(?:\b(?:to|at|on|via)\b{_WITHIN % 40}|\b(?:an? )?link )(?:{_SITE})", flags=_I, reach=400),
    Rule("task-money", ("transaction", "transfer", "payment", "pay", "wire", "money", "buy", "purchase", "iban", "bitcoin", "$", "€"),
         rf"{_ASKS}(?:send|make|do|set up|schedule|issue|initiate|transfer|wire|pay|update|change|redirect|refund)\b{_WITHIN % 120}"
         rf"(?:{_ACCOUNT}|\b(?:to|for) (?:the |this )?(?:following )?(?:account|iban|recipient|wallet)\b)", flags=_I, reach=300),
    Rule("task-money", ("buy", "purchase", "order", "subscribe"),
         rf"{_ASKS}(?:buy|purchase|order|subscribe to) (?:the |an? |me )?{_WITHIN % 60}\bfor (?:me|the user|us)\b", flags=_I, reach=200),
    Rule("task-delete", ("delete", "remove", "erase", "wipe", "cancel", "trash"),
         rf"{_ASKS}(?:delete|remove|erase|wipe|cancel|trash) {_THINGS}(?:e-?mails?|messages?|files?|documents?|events?|appointments?|meetings?"
         rf"|contacts?|reservations?|bookings?|accounts?|records?|invoices?|backups?)\b{_WITHIN % 60}"
         rf"(?:\b(?:id|number|titled?|named|called|with)\b|{_QUOTED}|\bfrom (?:the|my|your) (?:\w+ )?(?:drive|cloud|inbox|calendar|mailbox|account|workspace)\b"
         r"|\byou have just\b)", flags=_I, reach=120),
    Rule("task-account", ("password", "phone number", "address", "credential", "permission", "two-factor", "2fa"),
         rf"{_ASKS}(?:change|update|reset|set|replace|disable|turn off|share|grant) (?:my|the user'?s?|the account'?s?|the owner'?s?|your) (?:\w+ )?"
         rf"(?:passwords?|phone number|(?:e-?mail |street |home )?address|credentials?|permissions?|two-factor\S*|2fa)\b{_WITHIN % 40}\b(?:to|with|for|as|of)\b"
         rf"{_WITHIN % 40}(?:{_QUOTED}|\S*\d|{_MAILBOX})", flags=_I, reach=200),
    Rule("task-invite", ("@",), rf"{_ASKS}(?:invite|add|create|schedule|book|set up)\b{_WITHIN % 40}\b(?:user|participants?|event|meeting|appointment|member|guest|invite)\b"
         rf"{_WITHIN % 120}{_MAILBOX}", flags=_I, reach=400),
    Rule("task-book", ("reserv", "book"), rf"{_ASKS}(?:make|do|place) (?:an? |the )?(?:reservation|booking) (?:for|at|in) (?:the )?{_WITHIN % 80}"
         rf"\b(?:from|on|between|starting|for)\b{_WITHIN % 20}\d|{_ASKS}(?:reserve|book) (?:me |the user )?(?:an? |the )?{_WITHIN % 80}\bfor (?:me|the user)\b",
         flags=_I, reach=200),
    Rule("task-say", ("say that", "tell me", "tell the user", "recommend"),
         rf"{_ASKS}(?:say that i|tell me (?:that i|to)|tell the user (?:that|to)|recommend (?:me |the user )?(?:to )?(?:visit|buy|book|choose))\b"
         rf"{_WITHIN % 60}\b(?:absolutely|really|must|should|definitely|visit|buy|book|choose|only)\b", flags=_I, reach=120),
    Rule("task-broadcast", ("http", "www.", "bit.ly"), rf"{_ASKS}(?:please )?(?:send|post|e-?mail)\b{_WITHIN % 30}\b(?:every(?:one| single person)?|all)\b"
         r"[^\n]{0,80}(?:channel|person|people|contacts?|members?|meeting)[\s\S]{0,300}?(?:https?://|www\.|bit\.ly)", flags=_I, reach=600),
)  # fmt: skip

COMMAND_RULES: tuple[Rule, ...] = (
    *OVERRIDE,
    *ROLE,
    *ORDERS,
    *EXFILTRATION,
    *MIMICRY,
    *(replace(rule, reach=200) for rule in (*MORE, *LATER, *COVERED)),
    *TASKS,
)
