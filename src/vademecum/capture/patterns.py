"""What people say when they decide, prefer, learn or mend something: one row for each way of saying it.

A row matches within one sentence. Rows are tried from top to bottom and the first that matches counts, so the more telling
stand first. Group `what` is the object, which must not be a mere "it"; group `old` is what the sentence does away with.
Only a person's words can tell preferences and who they are; what cured a fault and what was decided an agent may tell too,
but it is believed less.
"""

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

Confidence = Literal["low", "medium", "high"]

PERSON: tuple[str, ...] = ("user",)
AGENT: tuple[str, ...] = ("agent",)
BOTH: tuple[str, ...] = ("user", "agent")


@dataclass(frozen=True)
class Pattern:
    """One way of saying something worth remembering.

    Attributes:
        name: "<language>.<kind>.<way>", such as "en.decision.settled"; told in the rationale.
        source: regular expression, tried without regard to case.
        roles: who must say it.
        confidence: before the ladder of :mod:`vademecum.capture.mine` is applied.
        importance: 0..1.
        needs: "" or what the sentence must bring along: "reason" (because ...) or "error" (an error text met before).
        bare: whether the object says it all, so that the words in front of it are left out ("remember that ...").
    """

    name: str
    source: str
    roles: tuple[str, ...] = PERSON
    confidence: Confidence = "high"
    importance: float = 0.6
    needs: Literal["", "reason", "error"] = ""
    bare: bool = False

    @property
    def language(self) -> str:
        """Two letters: en, pt, de, es, zh."""
        return self.name.split(".")[0]

    @property
    def kind(self) -> str:
        """Of the memory."""
        return self.name.split(".")[1]

    @cached_property
    def regex(self) -> re.Pattern[str]:
        return re.compile(self.source, re.IGNORECASE)


#: What one tells an agent, or oneself, to do or not to do. "Always happy to help" is no rule.
_DO = (
    r"(?:abbreviate|add|annotate|answer|apologi[sz]e|apply|approve|ask|assume|avoid|back up|be|book|build|bump|buy|cache|call|capitali[sz]e|catch|change|check|cite|close|comment|commit"
    r"|compile|confirm|convert|cook|copy|create|declare|define|delete|deploy|describe|document|do|double-check|edit|email|encrypt|end|escape|explain|export|extract|fix|follow|force-push"
    r"|format|generate|give|go|group|guess|handle|hard-?code|hash|highlight|ignore|import|include|indent|inline|install|invent|keep|leave|let|limit|link|lint|list|load|log|maintain"
    r"|make|mark|mention|merge|migrate|mock|modify|move|name|nest|note|offer|open|order|overwrite|pass|pin|prefer|prefix|present|print|propose|provide|publish|push|put|quote|raise|read"
    r"|rebase|refactor|reference|release|rely|remove|rename|reply|report|respond|return|review|rewrite|round|run|sanitize|save|say|send|set|show|sign|skip|sort|specify|split|squash|stage"
    r"|start|state|stop|store|suggest|summari[sz]e|tag|tailor|tell|test|throw|touch|translate|treat|trust|type|update|upgrade|use|validate|verify|work|wrap|write)"
)

_WE = r"(?:we|i)(?:'ve| have|'re| are|'m| am)?(?: (?:now|just|finally|already|also|actually|recently|since))?"
#: What may stand in front of a statement without changing it: when it was made, what it is about.
_FIRST = (
    r"(?:(?:after|for|in|on|with|as of|since) (?:the |our |this |last )?[^\s,.;:!?]+(?: [^\s,.;:!?]+){0,5}?,? (?=we\b|i\b|i'|we')"
    r"|(?:in the end|at last|finally|eventually|yesterday|today|last (?:week|month|night)|this (?:morning|week)),? )?"
)
_NAME = r"[^\s,.;:!?]+(?:[ -][^\s,.;:!?]+){0,3}?"
#: What a change is about: an old memory must be about it too.
_ABOUT = r"(?: for (?:the |our |my |all (?:the |our )?)?(?P<about>[^\s,.;:!?]+(?: [^\s,.;:!?]+)?))?"
#: A name in Chinese text, where words are not divided.
_ZH_NAME = r"[^，,。；;！!？?：:\s了]{1,20}"
_END = r"(?=\s*(?:[,.;:!?—(]|$|\s(?:to|because|since|as|so|and|but|for|after|when|which|in favou?r|instead|entirely|altogether|completely|now)\b))"

#: A mind that changed: what was so is so no longer.
CHANGES = (
    Pattern("en.decision.moved-from", rf"^{_WE} (?:switched|moved|migrated|changed|went)(?: (?:everything|it|over|the \w+(?: \w+)?))?(?: over)? from (?P<old>{_NAME}) (?:over )?to (?P<what>.+)", importance=0.8),
    Pattern("en.decision.moved-off", rf"^{_WE} (?:moved|moving|got|getting|migrated|migrating)(?: (?:everything|it|the \w+(?: \w+)?))? (?:off|away from) (?:of )?(?P<old>{_NAME}){_END}(?P<what>.*)", importance=0.8),
    Pattern("en.decision.dropped", rf"^{_WE} (?:dropped|dropping|ditched|ditching|abandoned|retired|replaced|replacing|gave up(?: on)?|threw out) (?P<old>{_NAME}) (?:in favou?r of|for|with) (?P<what>.+)", importance=0.8),
    Pattern("en.decision.no-longer", rf"^(?:we|i) (?:no longer|don't|do not) (?:use|run|need|support|deploy (?:on|to)|host (?:on|at)) (?P<old>{_NAME})(?: (?:any ?more|any longer))?{_END}(?P<what>.*)(?<=.)", importance=0.7),
    Pattern("en.decision.instead", r"^(?:(?:let's|let us|we(?:'ll| will| should)) )(?:use|go with|switch to|move to|take|do|make|store|keep|write|build|deploy (?:on|to)) (?P<what>.+?) (?:instead of|rather than|in place of|over) (?P<old>.+)", importance=0.7),
    Pattern("en.decision.mind", r"^(?:i|we)(?:'ve| have)? changed (?:my|our) minds?(?: (?:about|on) (?P<old>[^,.;:—]+))?\s*[,.;:—-]+\s*(?P<what>.+)", importance=0.8),
    Pattern("en.decision.stopped", rf"^{_FIRST}{_WE} (?:stopped (?:using|running|storing|hosting|writing)|dropped|dropping|getting rid of|got rid of|done with) (?P<old>{_NAME}){_ABOUT}(?=\s*(?:[,;:—-]|$))(?P<what>.*)(?<=.)", importance=0.7),
    Pattern("en.decision.taking-instead", rf"^{_FIRST}{_WE} (?:taking|using|going with|switching to|moving to|switched to|moved to|chose|picked|went with) (?P<what>.+?) instead of (?P<old>{_NAME}){_END}.*", importance=0.8),
    Pattern("en.decision.replaced-by", rf"^(?:the )?(?P<old>{_NAME}) (?:was|is|has been|got) (?:replaced|superseded) (?:by|with) (?P<what>.+)", importance=0.7),
    Pattern("en.preference.prefer-now", r"^i (?:now|actually|actually now) prefer (?P<what>.+?)(?: (?:over|to|instead of|rather than|and no longer|, not) (?P<old>[^.;]+))$", importance=0.7),
    Pattern("en.preference.no-more", r"^i (?:no longer (?:want|like|prefer) (?P<old>[^,;:—]+)|don't (?:want|like|prefer) [^,;:—]+ any ?more)(?:[,;:—-]+ (?P<what>.+))?$", importance=0.7),
    Pattern("en.preference.forget", r"^forget (?:what i said|my rule|the rule) (?:about|on) (?P<old>[^,.;:—]+?)\s*[,;:—-]+\s*(?P<what>.+)", importance=0.7),
    Pattern("pt.decision.left", rf"^(?:nós )?(?:deix[aá]mos de usar|larg[aá]mos|abandon[aá]mos|já não usamos) (?:o |a |os |as )?(?P<old>{_NAME})(?=\s*(?:[,;:—-]|$| e | para | porque ))(?P<what>.*)", importance=0.8),
    Pattern("pt.decision.swapped", rf"^(?:nós )?(?:troc[aá]mos|substitu[ií]mos) (?:o |a |os |as )?(?P<old>{_NAME}) (?:por|pelo|pela|pelos|pelas) (?P<what>[^\s,.;:]+(?: para (?:o|a|os|as) (?P<about>[^\s,.;:]+))?.*)", importance=0.8),
    Pattern("pt.decision.no-more", rf"^(?:nós )?não (?:usamos|vamos usar) mais (?:o |a )?(?P<old>{_NAME}){_END}(?P<what>.*)", importance=0.7),
    Pattern("pt.decision.moved", rf"^(?:nós )?(?:mud[aá]mos|migr[aá]mos|troc[aá]mos|saímos|pass[aá]mos) (?:do|da|de) (?P<old>{_NAME}) (?:para|por|pelo|pela) (?P<what>.+)", importance=0.8),
    Pattern("de.decision.no-more", rf"^wir (?:verwenden|benutzen|nutzen|nehmen) (?:jetzt )?(?:kein(?:e|en)? )?(?P<old>{_NAME}) (?:nicht )?mehr\b(?P<what>.*)", importance=0.7),
    Pattern("de.decision.but", rf"^wir (?:\w+) (?:(?:den|die|das|unsere?n?) )?(?P<about>[^\s,.;:]+) nicht mehr (?:als|in|mit|auf|bei|über) (?:de[rmn] )?(?P<old>{_NAME}),? sondern (?P<what>.+)", importance=0.8),
    Pattern("de.decision.no-longer", rf"^(?:(?:den|die|das|unsere?) )?(?P<about>[^\s,.;:]+) (?:liegen?|laufen|läuft|stehen|steht|sind|ist|kommen|kommt) (?:jetzt |ab jetzt |nun )?nicht mehr (?:in|auf|bei|mit|als) (?:de[rmn] )?(?P<old>{_NAME}),? (?:sondern|wir) (?P<what>.+)", importance=0.8),
    Pattern("de.decision.replaced", rf"^wir haben (?:den |die |das )?(?P<old>{_NAME}) (?:durch|gegen) (?P<what>.+?) (?:ersetzt|getauscht|ausgetauscht)", importance=0.8),
    Pattern("de.decision.moved-to", r"^wir (?:sind|haben) (?:jetzt |nun |inzwischen |gestern )?(?:auf|zu) (?P<what>.+?) (?:umgestiegen|gewechselt|umgezogen|umgestellt)", importance=0.8),
    Pattern("de.decision.moved", rf"^wir sind (?:jetzt )?von (?P<old>{_NAME}) (?:auf|zu) (?P<what>.+?) (?:umgestiegen|gewechselt|umgezogen)", importance=0.8),
    Pattern("es.decision.left", rf"^(?:dejamos(?: de (?:usar|utilizar))?|abandonamos|hemos dejado(?: de usar)?) (?P<old>(?!que\b|de\b|el |la |los |las |esto|eso|para\b|así){_NAME})(?=\s*[,;:—-])(?P<what>.*)", importance=0.8),
    Pattern("es.decision.swapped", rf"^(?:hemos )?(?:cambiamos|cambiado|sustituimos|sustituido|reemplazamos|reemplazado) (?:el |la |los |las )?(?P<old>{_NAME}) por (?P<what>.+)", importance=0.8),
    Pattern("es.decision.no-longer-in", rf"^(?:el |la |los |las )?(?P<about>[^\s,.;:]+) ya no (?:va|van|está|están|vive|viven|usa|usan|se guardan?) (?:en |con |como )?(?P<old>{_NAME})(?=\s*[,;:—-])(?P<what>.*)", importance=0.8),
    Pattern("es.decision.no-more", rf"^ya no (?:usamos|vamos a usar|utilizamos) (?P<old>{_NAME}){_END}(?P<what>.*)", importance=0.7),
    Pattern("es.decision.moved", rf"^(?:nos )?(?:cambiamos|migramos|pasamos|mudamos) (?:de|desde) (?P<old>{_NAME}) a (?P<what>.+)", importance=0.8),
    Pattern("zh.decision.no-more", rf"^(?:(?P<about>[^，,。；、\s]{{1,8}}?))?(?:我们|咱们|我)?(?:已经)?(?:不再|不)(?:使用|用)(?P<old>{_ZH_NAME}?)了?(?=[，,；;]|$)(?P<what>.*)", importance=0.8),
    Pattern("zh.decision.moved-from", rf"^(?:我们|咱们|我)?(?:已经)?(?:把(?P<about>[^，,。]{{1,8}}?))?从(?P<old>{_ZH_NAME}?)(?:换|改|迁移|切换|搬)(?:到|成|用|为)了?(?P<what>.+)", importance=0.8),
    Pattern("zh.decision.moved", r"^(?:我们|咱们)(?:已经|现在|最后|最终)?(?:改用|换成|换用|换到|迁移到|切换到|改成)了?(?P<what>.+)", importance=0.8),
)  # fmt: skip

#: Said to be remembered.
EXPLICIT = (
    Pattern("en.fact.remember", r"^(?:please )?(?:remember|keep in mind|bear in mind|note|make a note|for the record|fyi)(?: for (?:later|the future|next time))?(?: that|:)\s*(?P<what>.+)", importance=0.8, bare=True),
    Pattern("en.fact.keep-in-mind", r"^(?P<what>.{8,}?)[,;:—-]+ (?:so |and )?(?:please )?(?:keep|bear) (?:that|this|it) in mind\b.*", importance=0.8),
    Pattern("pt.fact.remember", r"^(?:por favor,? )?(?:lembre(?:-se)?|lembra(?:-te)?|anote|anota|não (?:te |se )?esque(?:ça|ças|cas|ce)(?:-te|-se)?)(?: d[eo])?(?: que|:)\s*(?P<what>.+)", importance=0.8, bare=True),
    Pattern("de.fact.remember", r"^(?:bitte )?(?:merk(?:e)? dir|denk(?:e)? (?:daran|dran)|notier(?:e)?|vergiss nicht|beachte)(?:,? dass|:)\s*(?P<what>.+)", importance=0.8, bare=True),
    Pattern("es.fact.remember", r"^(?:por favor,? )?(?:recuerda|acuérdate|ten en cuenta|ten presente|anota|apunta|no (?:te )?olvides)(?: de)?(?: que|:)\s*(?P<what>.+)", importance=0.8, bare=True),
    Pattern("zh.fact.remember", r"^(?:请|麻烦)?(?:你)?(?:记住|记得|记一下|记下来|备忘|请注意)\s*[，,：: ]\s*(?P<what>.+)", importance=0.8, bare=True),
)  # fmt: skip

DECISIONS = (
    Pattern("en.decision.decided", rf"^{_FIRST}(?:we|i)(?:'ve| have)? (?:both )?(?:decided|agreed)(?: together)? (?:that )?(?P<what>(?:to|on|against|not to|we|our|the|all|every)\b.+)", importance=0.8),
    Pattern("en.decision.decision", r"^(?:final )?decision(?: made)?\s*[:—-]\s*(?P<what>.+)", roles=BOTH, importance=0.8, bare=True),
    Pattern("en.decision.settled", rf"^{_FIRST}(?:(?:we|i)(?:'ve| have)? (?:finally )?(?:settled on|opted for|went with|committed to|standardi[sz]ed on)|(?:we(?:'ve| have)?|i've|i have) (?:finally )?(?:picked|chose|chosen)) (?P<what>.+)", importance=0.8),
    Pattern("en.decision.going-with", rf"^{_FIRST}(?:we're|we are|i'm|i am|we'll|we will) (?:going (?:to go )?with|sticking (?:with|to)|stick(?: with| to)|standardi[sz]ing on) (?P<what>.+)", importance=0.7),
    Pattern("en.decision.lets", r"^(?:let's|let us) (?:go with|stick (?:with|to)|settle on|standardi[sz]e on|use|switch to|move to|deploy (?:on|to)) (?P<what>.+)", confidence="medium", importance=0.6),
    Pattern("en.decision.lets-reason", r"^(?:let's|let us) (?P<what>(?:keep(?! \w+ing\b)|store|put|host|name|call|write|make|build|run|serve|split|drop|skip) .+)", confidence="medium", importance=0.6, needs="reason"),
    Pattern("en.decision.we-use", r"^we(?:'ll| will| are going to|'re going to) (?:use|deploy (?:on|to)|store|keep(?! \w+ing\b| up\b| on\b)|host|write|build) (?P<what>.+)", confidence="medium", importance=0.6),
    Pattern("en.decision.agent-chose", r"^(?:i|we)(?:'ve| have)? (?:decided|chose|opted|went with|picked)\b(?P<what>.+)", roles=AGENT, confidence="medium", importance=0.5, needs="reason"),
    Pattern("en.decision.agreed", r"^(?:it(?:'s| is| was| has been) (?:now )?(?:decided|agreed|settled)|the (?:decision|verdict|consensus) (?:is|was))(?: that| to|:)? (?P<what>.+)", importance=0.8),
    Pattern("en.fact.we-use", r"^we (?:use|rely on|run on|host on|deploy (?:on|to|with)) (?P<what>.+? (?:for|as|in|on|with|to) .+)", importance=0.6),
    Pattern("en.decision.we-always", rf"^we (?:always|never) (?!run (?:out|into)|get |end |give up)(?P<what>{_DO}\b.+)", importance=0.7),
    Pattern("pt.decision.decided", r"^(?:no fim,? |finalmente,? |afinal,? )?(?:nós )?(?:já )?(?:decidimos|decidi|opt[aá]mos por|optei por|escolhemos|escolhi|ado(?:p)?t[aá]mos|fic[aá]mos com|combin[aá]mos|acord[aá]mos|fech[aá]mos com) (?P<what>.+)", importance=0.8),
    Pattern("pt.decision.agreed", r"^(?:ficou|foi|está|ficou tudo) (?:decidido|combinado|acordado|definido|fechado)\b(?:[^:.]{0,30}:| que| com .{2,20}? que)? ?(?P<what>.+)", importance=0.8),
    Pattern("pt.decision.will-use", r"^vamos (?:usar|ficar com|adotar) (?P<what>.+)", confidence="medium", importance=0.6),
    Pattern("pt.decision.decision", r"^decisão\s*:\s*(?P<what>.+)", roles=BOTH, importance=0.8, bare=True),
    Pattern("de.decision.agreed", r"^(?:am ende |schließlich |gestern |heute )?(?:wir haben|haben wir) (?:uns )?(?:gestern |heute |jetzt |nun |endlich )?(?:darauf |dafür |dagegen )?(?:beschlossen|entschieden|geeinigt|vereinbart|festgelegt|abgemacht),? (?P<what>.+)", importance=0.8),
    Pattern("de.decision.decided", r"^(?:wir haben uns (?P<what>.+)\b(?:entschieden|geeinigt)|wir haben (?:beschlossen|entschieden)\b.+|ich habe mich (?:für|gegen) .+ entschieden)", importance=0.8),
    Pattern("de.decision.take", r"^wir (?:nehmen|verwenden|bleiben bei|setzen auf) (?:ab (?:jetzt|sofort) |künftig )?(?P<what>.+)", confidence="medium", importance=0.6),
    Pattern("de.decision.decision", r"^entscheidung\s*:\s*(?P<what>.+)", roles=BOTH, importance=0.8, bare=True),
    Pattern("es.decision.decided", r"^(?:al final,? |finalmente,? |por fin,? )?(?:ya )?(?:(?:nos )?decidimos(?: por)?|(?:nos )?hemos decidido(?: por)?|decidí|he decidido|optamos por|hemos optado por|elegimos|hemos elegido|escogimos|nos quedamos con|acordamos|hemos acordado|quedamos en(?: que)?) (?P<what>.+)", importance=0.8),
    Pattern("es.decision.will-use", r"^(?:vamos a (?:usar|adoptar)|usaremos) (?P<what>.+)", confidence="medium", importance=0.6),
    Pattern("es.decision.decision", r"^decisión\s*:\s*(?P<what>.+)", roles=BOTH, importance=0.8, bare=True),
    Pattern("es.decision.agreed", r"^(?:quedó|queda|está|se ha) (?:decidido|acordado)(?: que|:)? (?P<what>.+)", importance=0.8),
    Pattern("zh.decision.decided", r"^(?:我们|咱们|我)?(?:最后|最终|已经|终于|昨天|今天)?(?:一致)?(?:决定|商定|敲定|选定|说好)了?[，,：:]?(?P<what>.{3,})", importance=0.8),
    Pattern("zh.decision.chose", r"^(?:我们|咱们)(?:最后|最终|已经)?(?:选择?了|采用了|选用了)(?P<what>.+)", importance=0.8),
    Pattern("zh.decision.decision", r"^(?:决定|结论)\s*[：:]\s*(?P<what>.+)", roles=BOTH, importance=0.8, bare=True),
)  # fmt: skip

_PT_DO = (
    r"use|usa|faça[ms]?|faz|escreva[ms]?|escreve|coloques?|ponhas?|põe|metas?|mete|rodes?|roda|corras?|corre|adiciones?|acrescentes?|commit\w*|testes?|testa|respondas?|responde"
    r"|mostres?|mostra|expliques?|explica|apagues?|apaga|mudes?|cries?|cria|envies?|envia|deixes?|deixa|guardes?|guarda|sugiras?|comentes?|peças?|perguntes?|pergunta|abrevies?|mexas?"
)
_ES_DO = r"usa|utiliza|haz|escribe|pon|ejecuta|corre|agrega|añade|responde|muestra|explica|comprueba|revisa|prueba|pregunta|guarda|deja|crea|avisa|documenta|formatea|traduce"
_ES_DONT = r"uses|utilices|hagas|escribas|pongas|ejecutes|agregues|añadas|subas|borres|toques|cambies|incluyas|metas|crees|envíes|mandes|comentes|abrevies|mezcles|respondas|publiques|guardes"

PREFERENCES = (
    Pattern("en.preference.prefer", r"^i(?:'d)? (?:really |strongly |generally |usually |always |much |personally |do |still |would )*prefer (?P<what>.+)", importance=0.7),
    Pattern("en.preference.rather", r"^i(?:'d| would) (?:much )?rather (?:see|have|use|read|write|get|keep|work with|be told) (?P<what>.+? than .+)", importance=0.7),
    Pattern("en.preference.how-we", r"^(?P<what>.{8,}?)(?: please)?[,;:—-]+ (?:that's|that is|this is|it's) how (?:we|i)(?:'ve| have)? (?:always |usually )?(?:do|did|done|like|want|write|work)\b.*", importance=0.7),
    Pattern("en.preference.important", r"^it(?:'s| is) (?:very |really )?important (?:to me|for me|to us) (?:that|to) (?P<what>.+)", importance=0.7),
    Pattern("en.preference.trailing-always", rf"^(?:please |and )*(?P<what>(?:(?:when|before|after|if) .{{3,60}}?, )?(?:please )?(?:don't |do not )?{_DO}\b.{{4,}}?)[,;—-]+ (?:always|every time|each time|without exception|as a rule)$", importance=0.7),
    Pattern("en.preference.when-you", rf"^when you (?P<what>\w+(?: me)? (?:something|anything|an?|any)\b.{{0,60}}?, (?:please )?(?:also )?(?:don't |do not )?{_DO}\b.+)", importance=0.7),
    Pattern("en.preference.my-preference", r"^(?:my (?:strong |personal )?(?:preference|preferred \w+|favou?rite (?!is|was|are)\w+) (?:is|are|would be)|i'm (?:a )?(?:big )?(?:fan of|partial to)) (?P<what>.+)", importance=0.7),
    Pattern("en.preference.dislike", r"^i (?:really |absolutely |just )*(?:hate|dislike|can't stand|cannot stand|don't like|do not like) (?!how\b|(?:the|this|that|your) (?:\w+ ){0,2}(?:size|look|colou?r|name|title|font|button|output|result|diff|naming|wording|way)\b)(?P<what>.+)", importance=0.7),
    Pattern("en.preference.like", r"^i (?:always|generally|usually) (?:like|want|need|expect) (?P<what>.+)", importance=0.6),
    Pattern("en.preference.from-now-on", r"^(?:from now on|in future|going forward|from here on|as a (?:general )?rule|by default)\b[,:]?\s*(?!i'll|i will)(?P<what>.+)", importance=0.8),
    Pattern("en.preference.from-now-on", rf"^(?:please )?(?P<what>(?:{_DO}|don't|we|you|all|every|no) .+?),? (?:from now on|going forward|from here on|as a rule)$", importance=0.8),
    Pattern("en.preference.always", rf"^(?:please |and |also |but |so |then )*(?:always|never(?: ever)?|don't ever|do not ever) (?!give up|say never|go there|do (?:it|that))(?P<what>{_DO}\b.+)", importance=0.7),
    Pattern("en.preference.when-always", rf"^(?:when|before|after|while) (?P<what>.{{3,80}}?,? (?:please )?(?:you (?:must|should) )?(?:always|never) {_DO}\b.*)", importance=0.7),
    Pattern("en.preference.whenever", rf"^(?:whenever|every time|each time|any time) (?:you|we) (?P<what>.+?, (?:please )?(?:always |never |also )?(?:don't )?{_DO}\b.+)", importance=0.7),
    Pattern("en.preference.should-always", r"^(?P<what>(?:you|we|commit messages?|commits|tests|functions?|comments|docstrings?|branches|prs?|pull requests|migrations|names|errors?|logs?|answers|replies) (?:should|must) (?:always|never) .+)", importance=0.7),
    Pattern("en.preference.keep-generic", r"^(?:please )?(?:keep|write|make) (?P<what>(?:your |the |all |my |any )?(?:answers|replies|responses|explanations|commit messages|commits|functions|docstrings|comments|prs|pull requests|tests) .+)", importance=0.7),
    Pattern("en.preference.stop", r"^(?:please )?stop (?P<what>(?:using|adding|writing|putting|apologi[sz]ing|committing|creating|summari[sz]ing|mocking) .+)", importance=0.7),
    Pattern("en.preference.told", r"^(?:no,? |again,? )*(?:i|we)(?:'ve| have)? (?:already )?(?:said|told you|asked you)(?: \w+)? (?:to (?:always |never )|not to |never to )(?P<what>.+)", confidence="medium", importance=0.7),
    Pattern("en.preference.use-not", r"^(?:please |and |no,? )*use (?P<what>[^.;]{1,60}?),? (?:instead of|rather than|and not|not|never) (?P<old>[^.;]{1,60})$", importance=0.7),
    Pattern("en.preference.dont-any", r"^(?:please |and |also )*(?:don't|do not|dont) (?:use|add|put|write|include|create|mock|commit|leave) (?P<what>(?:any )?[^.;]*\b(?:anywhere|ever|in (?:commit messages|commits|comments|tests|code|docs|prs|pull requests|my \w+|replies|answers)|any ?more|again|without asking)\b.*)", importance=0.7),
    Pattern("en.preference.dont", r"^(?:please |and |also )*(?:don't|do not|dont) (?:use|mock|abbreviate|nest|hard-?code) (?P<what>[a-z][^.;]*)", confidence="medium", importance=0.6),
    Pattern("pt.preference.prefer", r"^(?:eu )?(?:sempre )?(?:prefiro|gosto mais d[eo]s?|não gosto (?:nada )?(?:d[aeo]s?|que)|odeio|detesto|quero (?:sempre|que (?:você|tu) sempre)) (?P<what>.+)", importance=0.7),
    Pattern("pt.preference.always", r"^(?:por favor,? )?(?:sempre|nunca|jamais) (?P<what>(?:" + _PT_DO + r")\b.+)", importance=0.7),
    Pattern("pt.preference.trailing-always", r"^(?:por favor,? )?(?P<what>(?:(?:antes|depois|quando|ao|a cada) .{3,60}?,? )?(?:" + _PT_DO + r")\b.{4,}?),? sempre$", importance=0.7),
    Pattern("pt.preference.dont", r"^(?:por favor,? )?não (?:" + _PT_DO + r")\b (?P<what>.*\b(?:nunca|jamais|em lado nenhum|em lugar nenhum|sem (?:perguntar|pedir|testar))\b.*)", importance=0.7),
    Pattern("pt.preference.from-now-on", r"^(?:de agora em diante|daqui (?:para|pra) (?:a )?frente|daqui em diante|de hoje em diante|a partir de (?:agora|hoje)|doravante)\b[,:]?\s*(?P<what>.+)", importance=0.8),
    Pattern("de.preference.prefer", r"^ich (?:bevorzuge|mag (?:lieber|keine?n?|es (?:nicht|lieber|gar nicht),? wenn)|hasse|ziehe .+ vor|(?:möchte|will) (?:immer|nie|grundsätzlich|keine?n?|lieber)|arbeite (?:lieber|am liebsten)|hätte (?:immer )?lieber) ?(?P<what>.+)", importance=0.7),
    Pattern("de.preference.important", r"^(?:mir ist|es ist mir) (?:sehr |wirklich )?wichtig,? (?:dass )?(?P<what>.+)", importance=0.7),
    Pattern("de.preference.always", r"^(?:bitte )?(?:immer|nie|niemals) (?!dies|noch\b|wieder\b|mehr\b)(?P<what>\w+.*\w(?:en|eln|ern))$", importance=0.7),
    Pattern("de.preference.please-always", r"^(?:bitte )?(?P<what>(?:verwende|benutze|nutze|schreibe?|mache?|antworte|nimm|teste?|komm|gib|zeige?|erkläre?|frage?|lösche?|ändere?|lasse?|speichere?|halte?|nenne?|pushe?|committe|sprich)\b(?:.*) (?:immer|nie|niemals|grundsätzlich)\b.+)", importance=0.7),
    Pattern("de.preference.from-now-on", r"^(?:ab (?:jetzt|sofort)|von jetzt an|künftig|in zukunft)\b[,:]?\s*(?P<what>.+)", importance=0.8),
    Pattern("es.preference.prefer", r"^(?:yo |a mí,? )?(?:siempre )?(?:prefiero|(?:no )?me gustan? (?:más |nada )?(?:que|los|las|el|la|usar|escribir|tener)|no me gustan?|odio|detesto) (?P<what>.+)", importance=0.7),
    Pattern("es.preference.dont", r"^(?:por favor,? )?no (?:" + _ES_DONT + r")\b (?P<what>.*\b(?:nunca|jamás|sin (?:preguntar|avisar|probar))\b.*)", importance=0.7),
    Pattern("es.preference.trailing-always", r"^(?:por favor,? )?(?P<what>(?:(?:antes|después|cuando|al|en) .{3,60}?,? )?(?:" + _ES_DO + r")\b.{4,}?),? siempre$", importance=0.7),
    Pattern("es.preference.always", r"^(?:por favor,? )?(?:siempre|nunca|jamás) (?P<what>(?:" + _ES_DO + "|" + _ES_DONT + r")\b.+)", importance=0.7),
    Pattern("es.preference.from-now-on", r"^(?:de ahora en adelante|a partir de ahora|en adelante|desde (?:ahora|hoy)|a partir de hoy)\b[,:]?\s*(?P<what>.+)", importance=0.8),
    Pattern("zh.preference.from-now-on", r"^(?:从?(?:今|现在)(?:以后|往后|开始|起)|以后|今后|往后)[，,]?(?P<what>(?!再|说|可能|会).*(?:请|用|要|别|不|都|先|务必|回|写|给|叫|把).+)", importance=0.8),
    Pattern("zh.preference.prefer", r"^我(?:个人)?(?:就)?(?:更|比较|一直|最|还是|一般|通常|总是|都)?(?:喜欢|偏好|偏爱|习惯|不喜欢|讨厌|受不了)(?!你|这|那|它|他|她)(?P<what>.{2,})", importance=0.7),
    Pattern("zh.preference.always", r"^(?:请|你)?(?:总是|始终|一律|务必|永远|永远不要|绝对?不要|千万(?:不要|别)|千万要|每次都要|每次(?:提交|部署|发布|修改|改动)(?:之?前|之?后)?[，,]?(?:都要|都|必须|先))(?P<what>.{3,})", importance=0.7),
    Pattern("zh.preference.dont", r"^(?:请)?(?:不要|别|不许)(?:再)?(?:用|使用|写|加|添加|提交|缩写)(?P<what>.{2,})", confidence="medium", importance=0.6),
)  # fmt: skip

FIXES = (
    Pattern("en.fix.fix-was", r"^(?:ok(?:ay)?,? |ah,? |so )?(?:the )?(?:real |actual |final )?(?:fix|solution|cure|workaround)(?: (?:for|to) .{3,80}?)? (?:was|turned out to be)(?: to)?\s(?!easy|simple|straightforward|trivial|pushed|merged|committed|deployed|correct|already|not\b)(?P<what>.+)", roles=BOTH, confidence="medium", importance=0.7, needs="error"),
    Pattern("en.fix.cause-was", r"^(?:ok(?:ay)?,? |ah,? |so )?(?:the |its )?(?:root |real |actual )?(?:cause|problem|issue|bug|culprit|error|failure)(?: (?:of|with|behind|in) .{3,80}?)? (?:was|turned out to be|came from|was caused by|is caused by)\s(?:that )?(?P<what>.+)", roles=BOTH, confidence="medium", importance=0.7, needs="error"),
    Pattern("en.fix.turned-out", r"^(?:ah,? |ok(?:ay)?,? )?(?:it )?turn(?:s|ed) out(?: that)?,? (?P<what>.+)", roles=PERSON, confidence="medium", importance=0.7, needs="error"),
    Pattern("en.fix.fixed-by", r"^(?P<what>.*?)\b(?:fixed|resolved|solved|cured|worked around|went away)(?: (?:it|this|that|the \w+(?: \w+)?))? (?:by|with|once|after|when)\s.+", roles=BOTH, confidence="medium", importance=0.7, needs="error"),
    Pattern("en.fix.workaround", r"^workaround\s*[:—-]\s*(?P<what>.+)", roles=BOTH, confidence="medium", importance=0.7, bare=True),
    Pattern("pt.fix.cause-was", r"^(?:o (?:problema|erro|bug)|a (?:causa|culpa))(?: d[eo]\w* .{3,60}?)? (?:era|foi|estava em|vinha d\w+)\s(?P<what>.+)", roles=BOTH, confidence="medium", importance=0.7, needs="error"),
    Pattern("pt.fix.fixed-by", r"^(?P<what>.*?)\b(?:resolvi|resolvido|corrigi|corrigido|consertei)\b.{0,40}? (?:com|usando|mudando|removendo|ao|depois de)\s.+", roles=BOTH, confidence="medium", importance=0.7, needs="error"),
    Pattern("de.fix.cause-was", r"^(?:das problem|der fehler|die ursache|der grund)(?: (?:für|von|bei) .{3,60}?)? (?:war|waren|lag (?:an|in|daran)|kam (?:von|daher))\s(?P<what>.+)", roles=BOTH, confidence="medium", importance=0.7, needs="error"),
    Pattern("de.fix.fixed-by", r"^(?P<what>.*?)\b(?:behoben|gelöst|repariert)\b.{0,20}? (?:durch|indem|mit)\s.+", roles=BOTH, confidence="medium", importance=0.7, needs="error"),
    Pattern("es.fix.cause-was", r"^(?:el (?:problema|error|fallo)|la (?:causa|culpa))(?: de\w* .{3,60}?)? (?:era|fue|estaba en|venía de)\s(?P<what>.+)", roles=BOTH, confidence="medium", importance=0.7, needs="error"),
    Pattern("es.fix.fixed-by", r"^(?P<what>.*?)\b(?:lo arreglé|se arregló|solucionado|resuelto|lo (?:solucioné|resolví|arreglamos))\b.{0,20}? (?:con|al|usando|quitando|cambiando|poniendo|añadiendo)\s.+", roles=BOTH, confidence="medium", importance=0.7, needs="error"),
    Pattern("zh.fix.cause-was", r"^(?:(?:真正的|根本)?(?:问题|原因|错误|毛病)|bug)(?:其实|原来|就|出)?(?:是|在于|在)(?P<what>.+)", roles=BOTH, confidence="medium", importance=0.7, needs="error"),
    Pattern("zh.fix.fixed-by", r"^(?P<what>.*(?:之后|以后|就|把|用|改).*(?:解决|修好|修复|正常|好)了.*)", roles=BOTH, confidence="medium", importance=0.7, needs="error"),
)  # fmt: skip

LESSONS = (
    Pattern("en.lesson.lesson", r"^(?:lessons?(?: learned| learnt)?(?: from [^:,.]{2,40})?|note to self|gotcha|til|moral)\s*[:—-]\s*(?P<what>.+)", importance=0.7, bare=True),
    Pattern("en.lesson.learned", r"^(?:so )?(?:we|i)(?:'ve| have)? (?:just )?(?:learn(?:ed|t)|found out)(?: the hard way)?(?: today)?,?:? (?:that|not to|to (?:always|never)) (?P<what>.+)", importance=0.7),
    Pattern("en.lesson.agent-lesson", r"^(?:lessons?(?: learned| learnt)?|gotcha|key insight)\s*[:—-]\s*(?P<what>.+)", roles=AGENT, confidence="medium", importance=0.5, bare=True),
    Pattern("pt.lesson.lesson", r"^(?:(?:lição|aprendizado|cuidado)\s*:|(?:aprendi|aprendemos) que)\s*(?P<what>.+)", importance=0.7, bare=True),
    Pattern("de.lesson.lesson", r"^(?:(?:lektion|gelernt|merksatz)\s*:|(?:ich habe|wir haben) gelernt,? dass)\s*(?P<what>.+)", importance=0.7, bare=True),
    Pattern("es.lesson.lesson", r"^(?:(?:lección|cuidado)\s*:|(?:aprendí|aprendimos) que)\s*(?P<what>.+)", importance=0.7, bare=True),
    Pattern("zh.lesson.lesson", r"^(?:(?:经验)?教训|经验|踩坑)(?:是)?\s*[：:，,]\s*(?P<what>.+)", importance=0.7, bare=True),
)  # fmt: skip

_TRADE = r"(?:\w+[ -]){0,3}(?:developer|engineer|programmer|designer|manager|founder|teacher|student|researcher|scientist|doctor|nurse|lawyer|writer|consultant|architect|analyst|freelancer|photographer|musician|translator|admin|administrator|accountant|chemist|physicist|biologist|carpenter|cook|chef|baker|farmer|gardener|librarian|journalist|mechanic|pilot|electrician|therapist|pharmacist|psychologist|economist|scholar|intern|technician|maintainer|vegetarian|vegan)\b"

IDENTITY = (
    Pattern("en.identity.name", r"^(?:hi,? |hello,? |btw,? )*(?:my name(?:'s| is)|call me) (?P<what>[^\W\d_][\w'-]+.*)", importance=0.9),
    Pattern("en.identity.trade", rf"^i(?:'m| am) (?:an? |the )?(?P<what>{_TRADE}.*)", importance=0.8),
    Pattern("en.identity.body", r"^i(?:'m| am) (?:an? |strictly )?(?P<what>(?:vegetarian|vegan|allergic to|colou?r-?blind|dyslexic|left-handed|deaf|diabetic|lactose|coeliac|celiac)\b.*)", importance=0.8),
    Pattern("en.identity.work", r"^i (?:currently )?work (?:as|at|for|in) (?P<what>(?!progress|a way|this).+)", importance=0.8),
    Pattern("en.identity.live", r"^i(?:'m| am)? (?:currently )?(?:live|based|located|living) (?:in|near) (?P<what>[A-Z].+)", importance=0.8),
    Pattern("en.fact.mine", r"^my (?P<what>(?:time ?zone|timezone|laptop|main machine|editor|keyboard|server|operating system|os|native language|mother tongue|birthday|pronouns|employer|company|wife|husband|partner|daughter|son|dog|cat)(?:'s \w+)? (?:is|are|runs) (?!like\b|so\b|very\b|really\b|just\b).+)", importance=0.7),
    Pattern("pt.identity.name", r"^(?:meu nome é|me chamo|pode me chamar de) (?P<what>.+)", importance=0.9),
    Pattern("pt.identity.trade", r"^(?:eu )?sou (?:uma? )?(?P<what>(?!primeir|terceir|inteir|solteir)(?:professora?|engenheir[oa]|médic[oa]|advogad[oa]|designer|programadora?|desenvolvedora?|estudante|alun[oa]|arquitet[oa]|agr[óô]nom[oa]|gerente|tradutora?|escritora?|músic[oa]|veterinári[oa]|psicólog[oa]|biólog[oa]|contadora?|pesquisadora?|investigadora?|vegetarian[oa]|vegan[oa]|alérgic[oa]|celíac[oa]|\w{3,}ista|\w{3,}eir[oa])\b.*)", importance=0.8),
    Pattern("pt.identity.live", r"^(?:eu )?(?:moro em|trabalho (?:como|na|no|em)) (?P<what>.+)", importance=0.8),
    Pattern("de.identity.name", r"^(?:ich heiße|mein name ist|nenn mich) (?P<what>.+)", importance=0.9),
    Pattern("de.identity.trade", r"^ich bin (?:(?:von beruf|hauptberuflich|selbst) )?(?:eine? )?(?P<what>(?-i:[A-ZÄÖÜ])[a-zäöüß-]+(?:er|in|ist|eur|ant|ent|or|arzt|loge|nom|frau|mann)\b.*)", importance=0.8),
    Pattern("de.identity.live", r"^ich (?:wohne in|lebe in|arbeite (?:als|bei|für)) (?P<what>.+)", importance=0.8),
    Pattern("es.identity.name", r"^(?:me llamo|mi nombre es|llámame) (?P<what>.+)", importance=0.9),
    Pattern("es.identity.trade", r"^(?:yo )?soy (?:una? )?(?P<what>(?!primer|tercer|soltero)(?:profesora?|ingenier[oa]|médic[oa]|abogad[oa]|diseñadora?|programadora?|desarrolladora?|estudiante|alumn[oa]|arquitect[oa]|agrónom[oa]|gerente|traductora?|escritora?|músic[oa]|veterinari[oa]|psicólog[oa]|biólog[oa]|contable|investigadora?|vegetarian[oa]|vegan[oa]|alérgic[oa]|celíac[oa]|\w{3,}ista|\w{3,}er[oa])\b.*)", importance=0.8),
    Pattern("es.identity.live", r"^(?:vivo en|trabajo (?:como|en|para)) (?P<what>.+)", importance=0.8),
    Pattern("zh.identity.name", r"^我(?:的名字)?(?:叫|名叫)(?P<what>.+)", importance=0.9),
    Pattern("zh.identity.trade", r"^我是(?:一)?(?:名|个|位)?(?P<what>[^，,。]{0,10}(?:师|医生|护士|律师|经理|学生|研究生|博士|学者|作家|员|工人|农民|素食者|者)(?:[，,。]|$).*)", importance=0.8),
    Pattern("zh.identity.live", r"^我(?:现在)?(?:住在|家在|在[^，,。]{1,10}(?:工作|上班|上学))(?P<what>.*)(?<=.)", importance=0.8),
)  # fmt: skip

PATTERNS: tuple[Pattern, ...] = (*CHANGES, *EXPLICIT, *IDENTITY, *DECISIONS, *PREFERENCES, *LESSONS, *FIXES)

#: Sentences that nobody means to last, whatever else they say: questions, hypotheses, requests for the task at hand.
PASSING = re.compile(
    r"[?？]\s*[\"')\]]*$"
    r"|^(?:what|why|how|when(?!.*\b(?:always|never)\b| you \w+(?: me)? (?:something|anything|an?|any)\b)|where|who|which|should|could|would|can|will|do(?! not\b)|does|did|is|are|was|were|may|shall|have you|has)\b(?!.*\b(?:from now on)\b)"
    r"|\b(?:what if|maybe|perhaps|might|suppose|imagine|hypothetically|wondering|not sure|unsure|i guess|thinking (?:of|about)|could (?:also )?(?:be|use|do|try)|we could|it would|would be|would have|could have|let me know|tonight|tomorrow|this weekend|just kidding|jk|lol)\b"
    r"|^(?:if|in case|assuming|provided|unless|say)\b"
    r"|\b(?:for now|right now|this time|for this (?:one|task|pr|change|commit|file|session|test)|just this|this once|for the moment|at the moment|temporarily|for today|until (?:then|i|we|the)|as a test|in this (?:file|function|pr|commit|change|case|session|test|branch|example|step|pass))\b"
    r"|^(?:talvez|será que|e se|se |quem|quando|como|por que|onde|vielleicht|wenn |falls |was |wie |warum |ob |soll|quizás|tal vez|si |qué|cómo|cuándo|dónde)\b"
    r"|\b(?:por enquanto|desta vez|só (?:hoje|agora)|neste (?:ecrã|ficheiro|arquivo|caso|commit)|vorerst|diesmal|im moment|erst mal|nur heute|por ahora|esta vez|solo hoy|de momento"
    r"|suponh\w+|imagin[ae]\w*|angenommen|stell dir vor|supong\w+|supón|imagínate)\b"
    r"|[吗呢]\s*[？?]?$|^(?:如果|假如|假设|假定|要是|也许|可能|或许|为什么|怎么|什么|哪|谁|是否|要不要|能不能|可以)|(?:这次|暂时|目前|先不|今天先|这一次|会不会|要不|是不是)",
    re.IGNORECASE,
)  # fmt: skip

#: A question, with its mark or by its first words.
ASKED = re.compile(
    r"[?？]\s*[\"')\]]*$|[吗呢]\s*$|^(?:so |and |but |or |wait |hm+ )*(?:(?:can|could|would|will|shall|should|do|does|did|is|are|was|were|have|has|may) (?:you|we|i|it|that|this|there|they|he|she|the|u|our|my|your|any|anyone)\b"
    r"|(?:why|where|who|which)\b|how(?! (?:we|i)\b)\b|what (?:is|are|was|were|do|does|did|about|if|would|should|could|can|happens?|s|kind|else|exactly|time|now)\b|what's|whats|wo (?:haben|ist|sind|liegt|waren)|warum|wieso|woran|welche[rsn]?\b|wie (?:viel|macht|kann|lange|heißt|ist)|onde|por ?qu[eê]|porqu[eê]|quant[oa]s|qual|dónde|por qué|cuánt[oa]s?|cuál)\b"
    r"|^(?:怎么|为什么|什么|哪|谁|是否|要不要|能不能|是不是|可不可以)",
    re.IGNORECASE,
)  # fmt: skip

#: How somebody begins who tells what occupies them: what they look for, worry about, think or feel. Without accents.
MUSING = re.compile(
    r"^(?:(?:and|so|well|also|but|hey|hi|ok|okay|yes|yeah|oh|und|also|ja|e|mas|bom|y|pero|bueno)\W+)*(?:"
    r"(?:i'?m|i am|i'?ve been|i have been)(?: (?:really|so|kinda|kind of|a little bit|a bit|a little|quite|currently|also|still|just|now|definitely|pretty|very))* (?:looking|trying|confused|curious|torn|thinking|considering|worried|concerned|excited|stressed|struggling"
    r"|wondering|planning|hoping|interested|analy[sz]ing|feeling|having|not sure|unsure|nervous|anxious|overwhelmed|frustrated|preparing|getting|glad|happy|sorry|stuck|afraid|debating|about to|going to|proud|surprised|tired|noticing|exploring|balancing|juggling)"
    r"|i(?:'ll| will) (?:definitely |also |probably |just |then |now |first )*(?:start|try|go ahead|check|look|keep|make sure|reach|give|think|consider|get|take|need|see|prepare|use|do|have|talk|ask|call|work|put|read|focus|add|begin|implement|share|research|schedule)\b"
    r"|i (?:want|need|would like) to (?:know|understand|see|make sure|ensure|learn|find)"
    r"|i (?:think|guess|believe|feel|hope|wonder|suppose|know|understand|see|noticed|reali[sz]ed)"
    r"|ich (?:suche|versuche|uberlege|plane|hoffe|denke|glaube|frage mich|fuhle|furchte|mache mir|freue mich|weiss)|ich bin (?:gerade |noch |etwas |ein bisschen |so |echt )*(?:gespannt|verwirrt|unsicher|besorgt|nervos|aufgeregt|mude|am uberlegen)"
    r"|(?:eu )?(?:estou|to|ando) (?:a |muito |meio |um pouco |ainda )*(?:procura|tenta|pensa|confus|preocupad|ansios|animad|nervos|curios|considera|planea|planeja|indecis|cansad|stressad|estressad)|(?:eu )?(?:acho|penso|espero|sinto|imagino|suponho)"
    r"|(?:yo )?(?:estoy|ando) (?:muy |un poco |algo |todavia )*(?:buscando|tratando|intentando|pensando|confundid|preocupad|nervios|emocionad|curios|considerando|planeando|planificando|indecis|cansad|estresad)|(?:yo )?(?:creo|pienso|espero|siento|supongo|imagino)"
    r")(?!\w*:)\w*|^(?:我(?:在想|正在|觉得|希望|担心|在找|感觉|打算|有点))"
)  # fmt: skip

#: What holds only for now, or is only imagined: whatever else a sentence says, nobody means it to last.
_UNLESS = r"(?!.*\b(?:always|never|every|from now on|immer|nie|niemals|grundsätzlich|sempre|nunca|siempre|jamás)\b)"
PROVISIONAL = re.compile(
    r"\b(?:what if|suppose|imagine|hypothetically|for now|right now|this time|just this once|this once|for the moment|at the moment|temporarily|for today|for the time being|as a test|just kidding|jk|thinking out loud|not today|tonight"
    r"|por enquanto|desta vez|só (?:hoje|agora|enquanto)|vorerst|diesmal|erst mal|erstmal|nur heute|heute nacht|por ahora|esta vez|solo hoy|de momento|esta noche"
    r"|suponh\w+|supondo|angenommen|stell dir vor|supong\w+|supón|imagínate)\b"
    rf"|\b(?:in|for) this (?:file|function|pr|commit|change|template|page|doc|e-?mail|paragraph|text|class|cell|sheet|slide)(?! and )(?:{_UNLESS})|\b(?:only here|just here|here only)\b"
    rf"|\bin dies(?:er|em) (?:datei|funktion|vorlage|änderung|mail|seite|klasse|zelle|tabelle|folie|commit|dokument|absatz|text)\b(?:{_UNLESS})|\b(?:nur hier|hier nur)\b"
    rf"|\bn?(?:est|ess)[ea] (?:ficheiro|arquivo|template|ecrã|tela|caso|commit|e-?mail|página|parágrafo|texto|função|documento|slide) (?:usa|use|deixa|deixe|põe|coloca|coloque|mete|quero)\b(?:{_UNLESS})|\bn(?:est|ess)[ea] (?:ficheiro|arquivo|template|ecrã|tela|commit|e-?mail|página|parágrafo|texto|função|documento|slide)\b(?:{_UNLESS})|\bsó aqui\b"
    rf"|\ben (?:est|es)[ea] (?:archivo|fichero|plantilla|pantalla|commit|correo|página|párrafo|texto|función|documento)\b(?:{_UNLESS})|\bs[oó]lo aqu[ií]\b|\bs[oó]lo (?:por )?esta vez\b|\bsó (?:dessa|desta) vez\b"
    r"|(?:这个|这份|这封|本)(?:文件|模板|函数|页面|邮件|文档)(?:里|中|先)(?!.*(?:永远|一律|总是|始终|都))|就这(?:里|一处)|别的都?(?:不要|别)(?:碰|动)"
    r"|^(?:say|for example|for instance|something like|e\.g\.)\b"
    r"|^(?:if|se|si|wenn|falls)\b.*\b(?:would|could|might|were|seria|sería|poderia|podría|wäre|würde|hätte)\b"
    r"|(?:这次|暂时|目前|先不|今天先|这一次)|^(?:如果|假如|假设|假定|要是)",
    re.IGNORECASE,
)  # fmt: skip

#: A wish to have something written, translated, acted or explained: what it quotes or tells is the text's, not the person's.
_PROSE_EN = r"english|german|spanish|portuguese|french|chinese|grammar|spelling|wording|punctuation|text|paragraph|passage|e?-?mail|message|letter|cover letter|bio|caption|ad|post|note|essay|typos"
_PROSE_DE = r"text|deutsch|englisch|rechtschreibung|grammatik|stil|absatz|abschnitt|satz|mail|e-mail|nachricht|brief|anschreiben|anzeige|beitrag|kommentar"
_PROSE_PT = r"português|inglês|texto|gramática|ortografia|redação|parágrafo|trecho|frase|mensagem|e-?mail|carta|anúncio|bilhete|comentário|legenda"
_PROSE_ES = r"español|inglés|texto|gramática|ortografía|redacción|párrafo|fragmento|frase|mensaje|correo|e-?mail|carta|anuncio|nota|comentario|reseña"
MAKING = re.compile(
    r"\b(?:translate|proofread|paraphrase|rephrase|summari[sz]e|shorten|condense|continue the (?:story|text)|write a persona|act as|pretend|made-up|joke of the day|how (?:do|would|can|should) (?:i|you|we) (?:say|word|phrase))\b"
    r"|\b(?:write|draft|compose|make up|give (?:me )?an?)\b.{0,40}\b(?:poem|story|song|speech|letter|card|e-?mail|essay|dialogue|tweet|post|haiku|toast|sentences?|verse|ad|invitation|review|bio|cover letter)\b"
    r"|\bexplain\b.{0,40}\b(?:entry|text|sentence|paragraph|quote|changelog|message)\b"
    r"|\b(?:übersetz\w*|korrigier\w*|umformulier\w*|schreib(?:e)? weiter|ich-form|fass\b.{0,40}\bzusammen|wie sagt man|schreib\w*\b.{0,40}\b(?:rede|gedicht|brief|karte|e-?mail|geschichte|dialog|lied|einladung))\b"
    r"|\b(?:traduz\w*|como se diz|resum[ea]\b|(?:escreve|escreva|faz|rascunha)\b.{0,40}\b(?:poema|carta|e-?mail|discurso|história|conto|cartão|diálogo|convite))"
    r"|\b(?:traduc\w*|cómo se dice|resúme\w*|resume\b|corrige|(?:escr[ií]b\w*|haz|redacta)\b.{0,40}\b(?:poema|carta|correo|discurso|historia|cuento|tarjeta|diálogo|invitación))"
    rf"|\b(?:fix|correct|check|improve|polish|clean up|tidy(?: up)?) (?:the|my|his|her|their|this) (?:{_PROSE_EN})\b|\b(?:rewrite|reword|edit) (?:this|that|the following|my|his|her) (?:{_PROSE_EN})\b|\b(?:reply|respond|answer) to (?:this|that|the following|him|her|them)\b|\banswer (?:this|that) (?:e?-?mail|message|letter|review|comment)\b"
    rf"|\b(?:korrektur ?les\w*|korrekturles\w*|lektorier\w*|(?:verbesser|überarbeit|prüf|glätt)\w* (?:mir |mal |bitte |kurz )*(?:das|den|die|dies\w*|mein\w*|sein\w*|ihr\w*) (?:{_PROSE_DE})|(?:formulier|schreib)\w* (?:mir |mal |bitte |kurz )*(?:das|den|die|dies\w*|mein\w*) (?:{_PROSE_DE} )?(?:\w+ )?um|umschreiben|(?:antwort|erwider)\w* (?:mir |mal |bitte )*auf (?:dies\w*|die|den|das) (?:{_PROSE_DE}))\b"
    rf"|\b(?:(?:revis|corrij|corrig|reescrev|melhor|ajeit|arrum)\w* (?:pra mim |aí |só |por favor )*(?:o|a|os|as|esse|essa|este|esta|ess[ae]s|meu|minha|d[eo]ss[ea]) (?:{_PROSE_PT})|respond\w* (?:a|à|ao|para) (?:ess[ea]|est[ea]) (?:{_PROSE_PT})|passa\w* (?:isso|isto|esse texto|este texto) (?:para|pra|pro|a) (?:o )?\w+)\b"
    rf"|\b(?:(?:revis|corrij|corríj|correg|corrig|reescrib|mejor|arregl|pul)\w* (?:por favor |porfa |bien )*(?:el|la|los|las|este|esta|mi|su) (?:{_PROSE_ES})|respond\w* a (?:este|esta|ese|esa) (?:{_PROSE_ES})|pas[aá]\w* (?:esto|este texto) al? \w+)\b"
    r"|翻成|译成|校对|(?:修改|改|检查|看看?)(?:一下)?(?:下)?(?:这段|这篇|这句|这封|语法|错别字|病句)|回(?:复)?(?:一下)?(?:这条|这封|这个)(?:消息|邮件|评论|留言)"
    r"|翻译|润色|压缩|缩短|改写|续写|概括|怎么说|写.{0,8}(?:诗|信|邮件|故事|发言|卡片|演讲|作文|对话)",
    re.IGNORECASE,
)  # fmt: skip

#: A game in which the person speaks as somebody else; nothing that follows in the session is their own.
PLAYING = re.compile(
    r"\b(?:role-?play\w*|let'?s (?:play|pretend)|make[- ]believe|in character|text adventure|rollenspiel\w*|(?:lass(?:t)? uns|wir) spielen|tun wir so|tu(?:n)? so,? als"
    r"|faz(?:er)? de conta|vamos (?:brincar|fingir)|finge que|jogo de papéis|hagamos (?:de cuenta|como que)|juguemos|juego de rol|finjamos|finge que)\b"
    r"|\b(?:you're|you are|youre|ur|du bist|você é|vc é|tu és|és|sos|eres|tú eres)\b[^.!?\n]{2,60}\b(?:and|und|e|y)\s+(?:i'?m|i am|ich bin|ich|eu sou|eu|yo soy|yo)\b"
    r"|(?:^|[.!:]\s*|\n)(?:you're|you are|youre|ur|du bist|você é|vc é|tu és|sos|eres|tú eres) (?:an?|the|my|ein\w{0,2}|de[rnm]|die|das|uma?|o|el|la|una?)\b(?! (?:genius|star|legend|life ?saver|champ|hero|schatz|engel|genie|santo|gênio|crack|genio))"
    r"[^.!?\n]{2,60}[,;]\s*(?:i'?m|i am|ich bin|ich|eu sou|eu|yo soy|yo) (?:an?|the|your|ein\w{0,2}|de[rnm]|die|das|uma?|o|el|la|una?)\b"
    r"|\b(?:let'?s|we(?:'ll| will|'re going to)? )\s*(?:do|act(?: out)?|write|improvise|rp) (?:an?|another|the|our|this) (?:\w+ )?(?:scene|skit|story|sketch|dialogue)\b|\b(?:write|improvise) (?:an? )?(?:\w+ )?(?:scene|story|novel|mystery|adventure) with me\b"
    r"|\b(?:schreib\w*|erfind\w*|erzähl\w*) mit mir\b|\blass(?:t)? uns (?:eine|ne|'ne)? ?(?:szene|geschichte|krimi)\b"
    r"|\b(?:escreve|escreva|inventa|invente|improvisa|improvise)\w* (?:comigo|uma (?:história|cena) comigo)\b|\bvamos (?:escrever|improvisar|fazer) uma (?:cena|história)\b"
    r"|\b(?:escribe|escribí|escribamos|inventa|inventemos|improvisemos|hagamos)\w* (?:conmigo|(?:conmigo )?una (?:escena|historia|novela))\b"
    r"|(?:和|跟|陪)我(?:一起)?(?:写|编|演)|来(?:一段|个)?(?:情景|对戏|剧本杀|演)|(?:咱们|我们)来(?:编|演|写)(?:个|一段|一个)?(?:故事|戏|场景|小说)"
    r"|角色扮演|假装你|你(?:来)?(?:扮演|演|当)[^。！？\n]{1,20}我(?:来)?(?:扮演|演|当|是)",
    re.IGNORECASE,
)

#: Leads into a text that somebody handed over: a log, a mail, a draft.
HANDED = re.compile(
    r"\b(?:logs?|changelog|output|e?mail|message|text|draft|paragraph|passage|section|note|notes|list|excerpt|snippet|transcript|ausgabe|nachricht|entwurf|absatz|abschnitt|notiz|notizen|liste|auszug"
    r"|registo|saída|mensagem|rascunho|parágrafo|trecho|nota|notas|lista|texto|salida|mensaje|borrador|párrafo|fragmento|correo)\b|这段|下面|日志|草稿|邮件|原文|清单|如下",
    re.IGNORECASE,
)

#: One particular text is spoken of; when a paragraph ends behind it, what follows is that text.
SHOWN = re.compile(
    r"\b(?:this|that|these|the following) (?:\w+ ){0,2}?(?:logs?|commit|changelog|output|e?-?mail|message|text|draft|paragraph|passage|section|note|snippet|transcript|config|error|rule|clause|quote|readme|template|review|comment|ticket|issue|policy|contract|letter|post)\b"
    r"|\b(?:dies\w{1,2}|folgend\w{1,2}) (?:\w+ ){0,2}?(?:log|commit|ausgabe|mail|e-mail|nachricht|text|entwurf|absatz|abschnitt|notiz|auszug|config|konfiguration|fehler|regel|klausel|zitat|vorlage|kommentar|ticket|vertrag|brief|beitrag)\b"
    r"|\b(?:ess[ea]|est[ea]|d[eo]ss[ea]|dest[ea]|o seguinte|a seguinte) (?:\w+ ){0,2}?(?:log|commit|saída|e-?mail|mensagem|texto|rascunho|parágrafo|trecho|nota|config\w*|erro|regra|cláusula|citação|modelo|comentário|ticket|contrato|carta)\b"
    r"|\b(?:est[ea]|es[ea]|el siguiente|la siguiente) (?:\w+ ){0,2}?(?:log|commit|salida|e-?mail|correo|mensaje|texto|borrador|párrafo|fragmento|nota|config\w*|error|regla|cláusula|cita|plantilla|comentario|ticket|contrato|carta)\b"
    r"|(?:这|下面|以下)(?:段|个|条|封|篇|份|的)?(?:日志|提交|报错|错误|邮件|消息|文字|文本|草稿|段落|配置|规则|条款|引文|模板|评论|合同|话)",
    re.IGNORECASE,
)  # fmt: skip

#: Somebody else speaks in what follows: a document, a chat, a person.
FROM_OTHERS = re.compile(
    r"\b(?:(?:docs?|documentation|manual|guide|readme|changelog|ticket|issue|post|article|spec|tutorial|book|recipe|customer|client|boss|manager|landlord|teacher|professor|supervisor|colleague|he|she|they|someone|reviewer) (?:\w+ ){0,6}?(?:says?|saying|said|wrote|writes|sent|wants?|claims?)"
    r"|(?:doku|handbuch|ticket|artikel|kunde|kundin|chef|chefin|er|kolleg\w+) (?:\w+ ){0,3}?(?:sagt|schreibt|schrieb|meint|will)|in (?:der|dem) \w+ steht|steht in der|im \w+ steht"
    r"|(?:documentação|manual|tutorial|cliente|chefe|artigo|ele|ela) (?:\w+ ){0,3}?(?:diz|disse|escreveu|mandou|quer)"
    r"|(?:documentación|manual|tutorial|cliente|jefe|artículo|él|ella) (?:\w+ ){0,3}?(?:dice|dijo|escribió|mandó|quiere))\b"
    r"|(?:文档|手册|教程|客户|老板|领导|同事|他|她|README)\S{0,6}(?:说|写着?|要求|想要)",
    re.IGNORECASE,
)  # fmt: skip

#: Begins with a condition.
IF_FIRST = re.compile(r"^(?:if|suppose|se|wenn|falls|si|如果|要是)\b", re.IGNORECASE)

#: How one tells that a cause was found.
FOUND = re.compile(
    r"\b(?:found it|got it|figured (?:it )?out|turns? out|turned out|culprit|root cause|it was|the cause|the problem|the trick|solved"
    r"|hab'?s|hab ihn|habe es|gefunden|wars?|lag an|ursache|schuld|jetzt weiß ich"
    r"|descobri|achei|era o|era a|a causa|o problema|já sei"
    r"|ya está|lo encontré|resulta|era el|era la|la causa|el problema|ya sé)\b|找到|原来|原因|罪魁|是.{1,12}的问题|又是",
    re.IGNORECASE,
)  # fmt: skip

#: Something does not work, and nothing is said of why or of what helps.
FAULTY = re.compile(
    r"\b(?:crash\w*|freez(?:es|ing)|froze|hangs (?:on|at|when|since|after|every)|stuck|dies|times out|broken|fails?|failing|leaks?|whining|lag(?:s|gy)|(?:stopped|quit) (?:\w+ )?(?:arriving|coming|working|loading|showing|syncing)|keeps? (?:\w+ )?(?:dropping|crashing|failing|losing)|drops (?:to|every|off|out)|(?:gets?|throws?|shows?|gives?) (?:me |us )?(?:an? |the )?(?:\w+ )?errors?|acting up|all over the place|a mess"
    r"|stürzt \w*|abstürz\w*|friert \w*|hängt sich|bleib\w* hängen|kaputt|leckt|bleibt stehen|funktioniert nicht|geht nicht|kommen keine|fällt (?:jed\w+ \w+ )?(?:ab|aus)|nerven|schon wieder|streikt"
    r"|(?:parou|pararam|deixou|deixaram) de (?:chegar|funcionar|aparecer|carregar|abrir|enviar|gravar|responder|ligar|sincronizar)|trav[ao]u?|travam|cai toda|avari\w+|quebr(?:ou|ado|ada)|tort[oa]s|(?:não|nunca) (?:carrega|funciona|chega\w*)|(?:outra vez|de novo)$"
    r"|se (?:cuelga|cae|para|bloquea|congela|rompe)|(?:dejó|dejaron|paró|pararon) de (?:llegar|funcionar|aparecer|cargar|abrir|enviar|guardar|responder|sincronizar)|(?:no|nunca) (?:arranca|funciona|carga|llega\w*)|rotos|rotas|roto|sale(?:n)? (?:con|sin) \S+ (?:en|rar)|otra vez$)(?!\w)"
    r"|卡死|就卡|卡住了|闪退|崩溃了|就崩|乱码|飙到|跑满|打不开|收不到|起不来|搜不出|不动了|又坏",
    re.IGNORECASE,
)  # fmt: skip

#: Begins with a circumstance: what follows is told of it, or is asked for whenever it holds.
WHEN_FIRST = re.compile(
    r"^(?:when|whenever|wenn|sobald|quando|sempre que|cuando|cada vez que)\b|^[^，,]{0,12}(?:的时候|之后|以后)", re.IGNORECASE
)

#: A sentence that says little without the one before it.
POINTS_BACK = re.compile(
    r"^(?:it|it's|its|that|that's|thats|those|these|this|they|they're|he|she|es (?:läuft|ist|liegt|wird)|eso|isso|isto|esto|它|这个|那个)\b"
    r"|\b(?:want|like|need|stand|use|do|see|have|hate|add|keep) (?:that|those|them|these|it|this)(?: (?:there|here|anymore|any more|again|ever))?\s*(?:[.!,]|$)|\bkeep (?:them|those|that|it) (?:out|away|off)\b"
    r"|\b(?:não (?:quero|gosto d)\s?(?:isso|disso)|no (?:quiero|me gusta) (?:eso|esto)|das (?:will|mag|möchte) ich nicht)\b",
    re.IGNORECASE,
)  # fmt: skip

_OLD_NAME = r"[^\s,.;:!?]+(?: [^\s,.;:!?]+)?"
#: What is done away with, wherever in the sentence it is named.
OLD = re.compile(
    rf"\b(?:forget (?:about )?(?:the |what i said about |my )?({_OLD_NAME})(?: (?:thing|rule|plan|idea))?(?: btw)?(?=[,.;:]|$)"
    rf"|({_OLD_NAME}) (?:is|are) (?:off|out|gone|dead|history|over|cancelled|canceled|dropped)\b"
    rf"|(?:instead of|no longer (?:use |on |in |with |do )?|done with|dropped|ditched|replaces|replaced) (?:the |our |my |an? )?({_OLD_NAME})"
    rf"|(?:moved|switched|migrated|went|changed)(?: \w+){{0,2}} from (?:the |our |my )?({_OLD_NAME}) (?:over )?to\b"
    rf"|now,? not ({_OLD_NAME})"
    rf"|das mit (?:dem |der |den |die |das )?(.+?) (?:kannst du|könnt ihr|ist vorbei|ist vom tisch)"
    rf"|({_OLD_NAME}) (?:ist|sind|fliegt|fliegen) (?:jetzt )?(?:wieder )?(?:raus|geschichte|vom tisch|gestrichen|abgeschafft)\b"
    rf"|(?:statt|anstatt) (?:der |des |dem |den )?({_OLD_NAME})"
    rf"|(?:voltei atrás (?:no|na|nos|nas|com o|com a)|esquec[ae] (?:o que disse d[oa]s?|o|a|os|as)|em vez d[eoa]s?|larg[uaá]\w+ o|deix[aeo]\w* de usar) ({_OLD_NAME})"
    rf"|lo de (.+?) (?:ya no|se acabó|olvídalo|olvidalo)"
    rf"|(?:olvida (?:lo que dije de|lo de|el|la)|en vez de|en lugar de|ya no (?:hago|uso|usamos|hacemos|voy a|tengo|llevo)|dejamos de usar) (?:el |la |los |las )?({_OLD_NAME}))"
    rf"|(?:vendi|trespassei|fechei|larguei|deixei|vendí|traspasé|cerré|dejé) (?:o|a|os|as|el|la|los|las) ({_OLD_NAME})(?= (?:em|en|à|a|al|el|no|na)\b|[,.;]|$)"
    rf"|(?:sold|gave up|handed over|closed|left|quit) (?:the|my|our) ({_OLD_NAME})(?= (?:in|last|to|on)\b|[,.;]|$)"
    rf"|({_OLD_NAME}) (?:hab|habe|haben) (?:ich|wir) (?:abgegeben|aufgegeben|verkauft|gekündigt)"
    rf"|\b(prod|production|staging|the server|the site) (?:has )?moved\b"
    r"|([\w]{2,15}?)(?:顶不住|不够用|撑不住)"
    r"|(?:不再?(?:用|教|做|要)|从)([^，,。；\s了]{1,10}?)(?:了|换|搬|迁|改)",
    re.IGNORECASE,
)  # fmt: skip

#: A request or a feeling that trails behind what was said; it is cut off.
TRAILING = re.compile(
    r",?\s+(?:so |and |but )?(?:now |now,? )?(?:(?:can|could|would|will) you\b|i'm (?:hoping|curious|wondering|trying)|please help|what do you|do you|any (?:ideas|tips|thoughts))\b.*$",
    re.IGNORECASE,
)  # fmt: skip

#: A question that trails behind a statement ("I live in Lisbon, which lights do I need?"); it is cut off.
ASKING = re.compile(
    r"[,;:—]\s+(?:so |and |but |então |e |und |also |y |así que )?(?:what|which|how|where|who|why|when|can|could|do|does|is|are|should|qual|quais|que|como|onde|posso|welche\w*|wie|wo|was|kann|gibt|qué|cuál\w*|cómo|dónde|puedo)\b[^?,;:]*\?\s*$"
    r"|[，,][^，,？?]*[？?]\s*$",
    re.IGNORECASE,
)

#: Whoever says or wants the rest of the sentence is not the person themselves.
REPORTED = re.compile(
    r"\b(?:(?:he|she|they|who|colleague|boss|team|customer|client|friend|manual|docs?|guide|someone|everyone|people|wife|husband|sister|brother) \w{0,12}\s?(?:say|says|said|think|thinks|want|wants|told|tells|claim|claims|writes|wrote|prefer|prefers|like|likes|decide|decides|decided)"
    r"|(?:says|said|wrote|writes|disse|diz|escreveu|sagt|sagte|meint|schreibt|dice|dijo|escribió))\b|[说写]着?$|他|她",
    re.IGNORECASE,
)

#: Objects that mean nothing once the talk is over.
POINTING = re.compile(
    r"^(?:this|that|these|those|such)\b|^(?:it|them|one|him|her|all of (?:it|this|that)|both|either|neither|the (?:first|second|third|last|latter|former|other|same|above|following|rest|next)\b.*"
    r"|option \w+|choice \w+|plan [a-z0-9]\b|your \w+(?: \w+)?|yours|what(?:ever)? you .*|something|anything|everything|nothing|more|less|so|yes|no|isso|das|dies\w*|eso|esto|这个?|那个?|它|第[一二三四五]个.*|(?:这|那)(?:样|种|些).*)"
    r"(?: (?:too|then|now|instead|please|here|as well|again|one|ones|way|approach|idea|version|though|for (?:it|this|that)))*\s*[.!]*$",
    re.IGNORECASE,
)  # fmt: skip

#: How an agent talks to itself while it works.
SELF_TALK = re.compile(
    r"^(?:let me|let's|i'll|i will|i'm|i am|i need|i can|i see|i should|i have|i've|i want|now|next|first|then|finally|good|great|perfect|done|ok|okay|looking|looks like|here'?s|all |the tests|tests|running|checking|reading|so|wait|hmm|actually|yes|no)\b",
    re.IGNORECASE,
)  # fmt: skip

#: A reason given in the same breath.
REASON = re.compile(
    r"\b(?:because|since|so that|due to|as it|as they|as we|which (?:is|means|keeps|makes|lets)|that way|porque|já que|weil|damit|da (?:wir|es|sie)|ya que|para que)\b|因为|由于|这样(?:就|可以|能)",
    re.IGNORECASE,
)

#: One of these stands in each line that :data:`ERROR_LINE` matches.
ERROR_WORDS = (
    "Error", "Exception", "Warning", "Panic", "Interrupt", "Timeout", "NotFound", "Denied", "Exists", "Refused", "fatal", "error",
    "ERROR", "FATAL", "FAILED", "panic", "o such file or directory", "ermission denied", "ommand not found", "onnection refused",
    "ddress already in use", "annot find module", "egmentation fault",
)  # fmt: skip
#: Line of an error, exactly as a program wrote it.
ERROR_LINE = re.compile(
    r"^(?:E[ \t]+|[^\w\n]{0,4})("
    r"[A-Za-z_][\w.]*(?:Error|Exception|Warning|Panic|Interrupt|Timeout|NotFound|Denied|Exists|Refused)\b(?::| \[)[^\n]{3,240}"
    r"|(?:fatal|error|ERROR|FATAL|FAILED|panic)(?:\[[A-Z]?\d+\])?:? (?=\S)[^\n]{6,240}"
    r"|[^\n]{0,80}\b(?:[Nn]o such file or directory|[Pp]ermission denied|[Cc]ommand not found|[Cc]onnection refused|[Aa]ddress already in use|[Cc]annot find module|[Ss]egmentation fault)\b[^\n]{0,120}"
    r")",
    re.MULTILINE,
)
