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
        """Two letters: en, pt, de, es."""
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
_NAME = r"[^\s,.;:!?]+(?:[ -][^\s,.;:!?]+){0,3}?"
_END = r"(?=\s*(?:[,.;:!?—(]|$|\s(?:to|because|since|as|so|and|but|for|after|when|which|in favou?r|instead|entirely|altogether|completely|now)\b))"

#: A mind that changed: what was so is so no longer.
CHANGES = (
    Pattern("en.decision.moved-from", rf"^{_WE} (?:switched|moved|migrated|changed|went)(?: (?:everything|it|over|the \w+(?: \w+)?))?(?: over)? from (?P<old>{_NAME}) (?:over )?to (?P<what>.+)", importance=0.8),
    Pattern("en.decision.moved-off", rf"^{_WE} (?:moved|moving|got|getting|migrated|migrating)(?: (?:everything|it|the \w+(?: \w+)?))? (?:off|away from) (?:of )?(?P<old>{_NAME}){_END}(?P<what>.*)", importance=0.8),
    Pattern("en.decision.dropped", rf"^{_WE} (?:dropped|dropping|ditched|ditching|abandoned|retired|replaced|replacing|gave up(?: on)?|threw out) (?P<old>{_NAME}) (?:in favou?r of|for|with) (?P<what>.+)", importance=0.8),
    Pattern("en.decision.no-longer", rf"^(?:we|i) (?:no longer|don't|do not) (?:use|run|need|support|deploy (?:on|to)|host (?:on|at)) (?P<old>{_NAME})(?: (?:any ?more|any longer))?{_END}(?P<what>.*)(?<=.)", importance=0.7),
    Pattern("en.decision.instead", r"^(?:(?:let's|let us|we(?:'ll| will| should)) )(?:use|go with|switch to|move to|take|do|make|store|keep|write|build|deploy (?:on|to)) (?P<what>.+?) (?:instead of|rather than|in place of|over) (?P<old>.+)", importance=0.7),
    Pattern("en.decision.mind", r"^(?:i|we)(?:'ve| have)? changed (?:my|our) minds?(?: (?:about|on) (?P<old>[^,.;:—]+))?\s*[,.;:—-]+\s*(?P<what>.+)", importance=0.8),
    Pattern("en.preference.prefer-now", r"^i (?:now|actually|actually now) prefer (?P<what>.+?)(?: (?:over|to|instead of|rather than|and no longer|, not) (?P<old>[^.;]+))$", importance=0.7),
    Pattern("en.preference.no-more", r"^i (?:no longer (?:want|like|prefer) (?P<old>[^,;:—]+)|don't (?:want|like|prefer) [^,;:—]+ any ?more)(?:[,;:—-]+ (?P<what>.+))?$", importance=0.7),
    Pattern("en.preference.forget", r"^forget (?:what i said|my rule|the rule) (?:about|on) (?P<old>[^,.;:—]+?)\s*[,;:—-]+\s*(?P<what>.+)", importance=0.7),
    Pattern("pt.decision.no-more", rf"^(?:nós )?não (?:usamos|vamos usar) mais (?:o |a )?(?P<old>{_NAME}){_END}(?P<what>.*)", importance=0.7),
    Pattern("pt.decision.moved", rf"^(?:nós )?(?:mudamos|migramos|trocamos|saímos) (?:do|da|de) (?P<old>{_NAME}) (?:para|por|pelo|pela) (?P<what>.+)", importance=0.8),
    Pattern("de.decision.no-more", rf"^wir (?:verwenden|benutzen|nutzen|nehmen) (?:jetzt )?(?:kein(?:e|en)? )?(?P<old>{_NAME}) (?:nicht )?mehr\b(?P<what>.*)", importance=0.7),
    Pattern("de.decision.moved", rf"^wir sind (?:jetzt )?von (?P<old>{_NAME}) (?:auf|zu) (?P<what>.+?) (?:umgestiegen|gewechselt|umgezogen)", importance=0.8),
    Pattern("es.decision.no-more", rf"^ya no (?:usamos|vamos a usar|utilizamos) (?P<old>{_NAME}){_END}(?P<what>.*)", importance=0.7),
    Pattern("es.decision.moved", rf"^(?:nos )?(?:cambiamos|migramos|pasamos|mudamos) (?:de|desde) (?P<old>{_NAME}) a (?P<what>.+)", importance=0.8),
)  # fmt: skip

#: Said to be remembered.
EXPLICIT = (
    Pattern("en.fact.remember", r"^(?:please )?(?:remember|keep in mind|bear in mind|note|make a note|for the record|fyi)(?: for (?:later|the future|next time))?(?: that|:)\s*(?P<what>.+)", importance=0.8, bare=True),
    Pattern("pt.fact.remember", r"^(?:por favor,? )?(?:lembre(?:-se)?|lembra|anote|anota)(?: de)?(?: que|:)\s*(?P<what>.+)", importance=0.8, bare=True),
    Pattern("de.fact.remember", r"^(?:bitte )?(?:merk(?:e)? dir|denk daran|notier(?:e)?)(?:,? dass|:)\s*(?P<what>.+)", importance=0.8, bare=True),
    Pattern("es.fact.remember", r"^(?:por favor,? )?(?:recuerda|ten en cuenta|anota)(?: que|:)\s*(?P<what>.+)", importance=0.8, bare=True),
)  # fmt: skip

DECISIONS = (
    Pattern("en.decision.decided", r"^(?:we|i)(?:'ve| have)? (?:both )?(?:decided|agreed)(?: together)? (?:that )?(?P<what>(?:to|on|against|not to|we|our|the|all|every)\b.+)", importance=0.8),
    Pattern("en.decision.decision", r"^(?:final )?decision(?: made)?\s*[:—-]\s*(?P<what>.+)", roles=BOTH, importance=0.8, bare=True),
    Pattern("en.decision.settled", r"^(?:(?:we|i)(?:'ve| have)? (?:finally )?(?:settled on|opted for|went with|committed to|standardi[sz]ed on)|(?:we(?:'ve| have)?|i've|i have) (?:finally )?(?:picked|chose|chosen)) (?P<what>.+)", importance=0.8),
    Pattern("en.decision.going-with", r"^(?:we're|we are|i'm|i am|we'll|we will) (?:going (?:to go )?with|sticking (?:with|to)|stick(?: with| to)|standardi[sz]ing on) (?P<what>.+)", importance=0.7),
    Pattern("en.decision.lets", r"^(?:let's|let us) (?:go with|stick (?:with|to)|settle on|standardi[sz]e on|use|switch to|move to|deploy (?:on|to)) (?P<what>.+)", confidence="medium", importance=0.6),
    Pattern("en.decision.lets-reason", r"^(?:let's|let us) (?P<what>(?:keep(?! \w+ing\b)|store|put|host|name|call|write|make|build|run|serve|split|drop|skip) .+)", confidence="medium", importance=0.6, needs="reason"),
    Pattern("en.decision.we-use", r"^we(?:'ll| will| are going to|'re going to) (?:use|deploy (?:on|to)|store|keep(?! \w+ing\b| up\b| on\b)|host|write|build) (?P<what>.+)", confidence="medium", importance=0.6),
    Pattern("en.decision.agent-chose", r"^(?:i|we)(?:'ve| have)? (?:decided|chose|opted|went with|picked)\b(?P<what>.+)", roles=AGENT, confidence="medium", importance=0.5, needs="reason"),
    Pattern("pt.decision.decided", r"^(?:nós )?(?:já )?(?:decidimos|decidi|optamos por|optei por|escolhemos|escolhi|adotamos|ficamos com) (?P<what>.+)", importance=0.8),
    Pattern("pt.decision.will-use", r"^vamos (?:usar|ficar com|adotar) (?P<what>.+)", confidence="medium", importance=0.6),
    Pattern("pt.decision.decision", r"^decisão\s*:\s*(?P<what>.+)", roles=BOTH, importance=0.8, bare=True),
    Pattern("de.decision.decided", r"^(?:wir haben uns (?P<what>.+)\b(?:entschieden|geeinigt)|wir haben (?:beschlossen|entschieden)\b.+|ich habe mich (?:für|gegen) .+ entschieden)", importance=0.8),
    Pattern("de.decision.take", r"^wir (?:nehmen|verwenden|bleiben bei|setzen auf) (?:ab (?:jetzt|sofort) |künftig )?(?P<what>.+)", confidence="medium", importance=0.6),
    Pattern("de.decision.decision", r"^entscheidung\s*:\s*(?P<what>.+)", roles=BOTH, importance=0.8, bare=True),
    Pattern("es.decision.decided", r"^(?:ya )?(?:decidimos|hemos decidido|decidí|he decidido|optamos por|elegimos|nos quedamos con) (?P<what>.+)", importance=0.8),
    Pattern("es.decision.will-use", r"^(?:vamos a (?:usar|adoptar)|usaremos) (?P<what>.+)", confidence="medium", importance=0.6),
    Pattern("es.decision.decision", r"^decisión\s*:\s*(?P<what>.+)", roles=BOTH, importance=0.8, bare=True),
)  # fmt: skip

PREFERENCES = (
    Pattern("en.preference.prefer", r"^i(?:'d)? (?:really |strongly |generally |usually |always |much |personally |do |still |would )*prefer (?P<what>.+)", importance=0.7),
    Pattern("en.preference.my-preference", r"^(?:my (?:strong |personal )?(?:preference|preferred \w+|favou?rite (?!is|was|are)\w+) (?:is|are|would be)|i'm (?:a )?(?:big )?(?:fan of|partial to)) (?P<what>.+)", importance=0.7),
    Pattern("en.preference.dislike", r"^i (?:really |absolutely |just )*(?:hate|dislike|can't stand|cannot stand|don't like|do not like) (?P<what>.+)", importance=0.7),
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
    Pattern("pt.preference.prefer", r"^(?:eu )?(?:sempre )?(?:prefiro|não gosto d[eo]s?|odeio) (?P<what>.+)", importance=0.7),
    Pattern("pt.preference.always", r"^(?:por favor,? )?(?:sempre|nunca|jamais) (?P<what>(?:use|usa|faça|escreva|coloque|rode|adicione|faz|escreve|commit\w*|teste|responda)\b.+)", importance=0.7),
    Pattern("pt.preference.from-now-on", r"^(?:de agora em diante|daqui (?:para|pra) frente|a partir de agora)\b[,:]?\s*(?P<what>.+)", importance=0.8),
    Pattern("de.preference.prefer", r"^ich (?:bevorzuge|mag (?:lieber|keine?n?)|hasse|ziehe .+ vor|möchte (?:immer|nie)) ?(?P<what>.+)", importance=0.7),
    Pattern("de.preference.always", r"^(?:bitte )?(?:immer|nie|niemals) (?P<what>\w+.+)", importance=0.7),
    Pattern("de.preference.please-always", r"^(?:bitte )?(?P<what>(?:verwende|benutze|nutze|schreib|schreibe|mach|antworte|nimm|teste)\b.* (?:immer|nie|niemals)\b.+)", importance=0.7),
    Pattern("de.preference.from-now-on", r"^(?:ab (?:jetzt|sofort)|von jetzt an|künftig|in zukunft)\b[,:]?\s*(?P<what>.+)", importance=0.8),
    Pattern("es.preference.prefer", r"^(?:yo )?(?:siempre )?(?:prefiero|no me gustan?|odio) (?P<what>.+)", importance=0.7),
    Pattern("es.preference.always", r"^(?:por favor,? )?(?:siempre|nunca|jamás) (?P<what>(?:usa|uses|haz|hagas|escribe|escribas|pon|pongas|ejecuta|agrega|agregues|añade|añadas|responde)\b.+)", importance=0.7),
    Pattern("es.preference.from-now-on", r"^(?:de ahora en adelante|a partir de ahora|en adelante)\b[,:]?\s*(?P<what>.+)", importance=0.8),
)  # fmt: skip

FIXES = (
    Pattern("en.fix.fix-was", r"^(?:ok(?:ay)?,? |ah,? |so )?(?:the )?(?:real |actual |final )?(?:fix|solution|cure|workaround)(?: (?:for|to) .{3,80}?)? (?:was|turned out to be)(?: to)?\s(?!easy|simple|straightforward|trivial|pushed|merged|committed|deployed|correct|already|not\b)(?P<what>.+)", roles=BOTH, confidence="medium", importance=0.7, needs="error"),
    Pattern("en.fix.cause-was", r"^(?:ok(?:ay)?,? |ah,? |so )?(?:the |its )?(?:root |real |actual )?(?:cause|problem|issue|bug|culprit|error|failure)(?: (?:of|with|behind|in) .{3,80}?)? (?:was|turned out to be|came from|was caused by|is caused by)\s(?:that )?(?P<what>.+)", roles=BOTH, confidence="medium", importance=0.7, needs="error"),
    Pattern("en.fix.turned-out", r"^(?:ah,? |ok(?:ay)?,? )?(?:it )?turn(?:s|ed) out(?: that)?,? (?P<what>.+)", roles=PERSON, confidence="medium", importance=0.7, needs="error"),
    Pattern("en.fix.fixed-by", r"^(?P<what>.*?)\b(?:fixed|resolved|solved|cured|worked around|went away)(?: (?:it|this|that|the \w+(?: \w+)?))? (?:by|with|once|after|when)\s.+", roles=BOTH, confidence="medium", importance=0.7, needs="error"),
    Pattern("en.fix.workaround", r"^workaround\s*[:—-]\s*(?P<what>.+)", roles=BOTH, confidence="medium", importance=0.7, bare=True),
    Pattern("pt.fix.cause-was", r"^(?:o (?:problema|erro|bug)|a causa)(?: d[eo]\w* .{3,60}?)? (?:era|foi|estava em)\s(?P<what>.+)", roles=BOTH, confidence="medium", importance=0.7, needs="error"),
    Pattern("pt.fix.fixed-by", r"^(?P<what>.*?)\b(?:resolvi|resolvido|corrigi|corrigido|consertei)\b.{0,40}? (?:com|usando|mudando|removendo|ao|depois de)\s.+", roles=BOTH, confidence="medium", importance=0.7, needs="error"),
    Pattern("de.fix.cause-was", r"^(?:das problem|der fehler|die ursache|der grund)(?: (?:für|von|bei) .{3,60}?)? (?:war|lag (?:an|in|daran))\s(?P<what>.+)", roles=BOTH, confidence="medium", importance=0.7, needs="error"),
    Pattern("de.fix.fixed-by", r"^(?P<what>.*?)\b(?:behoben|gelöst|repariert)\b.{0,20}? (?:durch|indem|mit)\s.+", roles=BOTH, confidence="medium", importance=0.7, needs="error"),
    Pattern("es.fix.cause-was", r"^(?:el (?:problema|error|fallo)|la causa)(?: de\w* .{3,60}?)? (?:era|fue|estaba en)\s(?P<what>.+)", roles=BOTH, confidence="medium", importance=0.7, needs="error"),
    Pattern("es.fix.fixed-by", r"^(?P<what>.*?)\b(?:lo arreglé|se arregló|solucionado|resuelto|lo solucioné)\b.{0,20}? (?:con|al|usando|quitando|cambiando)\s.+", roles=BOTH, confidence="medium", importance=0.7, needs="error"),
)  # fmt: skip

LESSONS = (
    Pattern("en.lesson.lesson", r"^(?:lessons?(?: learned| learnt)?|note to self|gotcha|til|moral)\s*[:—-]\s*(?P<what>.+)", importance=0.7, bare=True),
    Pattern("en.lesson.learned", r"^(?:so )?(?:we|i)(?:'ve| have)? (?:just )?(?:learn(?:ed|t)|found out)(?: the hard way)?(?: today)?,?:? (?:that|not to|to (?:always|never)) (?P<what>.+)", importance=0.7),
    Pattern("en.lesson.agent-lesson", r"^(?:lessons?(?: learned| learnt)?|gotcha|key insight)\s*[:—-]\s*(?P<what>.+)", roles=AGENT, confidence="medium", importance=0.5, bare=True),
    Pattern("pt.lesson.lesson", r"^(?:(?:lição|aprendizado|cuidado)\s*:|(?:aprendi|aprendemos) que)\s*(?P<what>.+)", importance=0.7, bare=True),
    Pattern("de.lesson.lesson", r"^(?:(?:lektion|gelernt|merksatz)\s*:|(?:ich habe|wir haben) gelernt,? dass)\s*(?P<what>.+)", importance=0.7, bare=True),
    Pattern("es.lesson.lesson", r"^(?:(?:lección|cuidado)\s*:|(?:aprendí|aprendimos) que)\s*(?P<what>.+)", importance=0.7, bare=True),
)  # fmt: skip

_TRADE = r"(?:\w+[ -]){0,3}(?:developer|engineer|programmer|designer|manager|founder|teacher|student|researcher|scientist|doctor|nurse|lawyer|writer|consultant|architect|analyst|freelancer|photographer|musician|translator|admin|administrator|accountant|vegetarian|vegan)\b"

IDENTITY = (
    Pattern("en.identity.name", r"^(?:hi,? |hello,? |btw,? )*(?:my name(?:'s| is)|call me) (?P<what>[^\W\d_][\w'-]+.*)", importance=0.9),
    Pattern("en.identity.trade", rf"^i(?:'m| am) (?:an? |the )?(?P<what>{_TRADE}.*)", importance=0.8),
    Pattern("en.identity.work", r"^i (?:currently )?work (?:as|at|for|in) (?P<what>(?!progress|a way|this).+)", importance=0.8),
    Pattern("en.identity.live", r"^i(?:'m| am)? (?:currently )?(?:live|based|located|living) (?:in|near) (?P<what>[A-Z].+)", importance=0.8),
    Pattern("en.fact.mine", r"^my (?P<what>(?:time ?zone|timezone|laptop|main machine|editor|keyboard|server|operating system|os|native language|mother tongue|birthday|pronouns|employer|company|wife|husband|partner|daughter|son|dog|cat)(?:'s \w+)? (?:is|are|runs) (?!like\b|so\b|very\b|really\b|just\b).+)", importance=0.7),
    Pattern("pt.identity.name", r"^(?:meu nome é|me chamo|pode me chamar de) (?P<what>.+)", importance=0.9),
    Pattern("pt.identity.live", r"^(?:eu )?(?:moro em|trabalho (?:como|na|no|em)) (?P<what>.+)", importance=0.8),
    Pattern("de.identity.name", r"^(?:ich heiße|mein name ist|nenn mich) (?P<what>.+)", importance=0.9),
    Pattern("de.identity.live", r"^ich (?:wohne in|lebe in|arbeite (?:als|bei|für)) (?P<what>.+)", importance=0.8),
    Pattern("es.identity.name", r"^(?:me llamo|mi nombre es|llámame) (?P<what>.+)", importance=0.9),
    Pattern("es.identity.live", r"^(?:vivo en|trabajo (?:como|en|para)) (?P<what>.+)", importance=0.8),
)  # fmt: skip

PATTERNS: tuple[Pattern, ...] = (*CHANGES, *EXPLICIT, *IDENTITY, *DECISIONS, *PREFERENCES, *LESSONS, *FIXES)

#: Sentences that nobody means to last, whatever else they say: questions, hypotheses, requests for the task at hand.
PASSING = re.compile(
    r"\?\s*[\"')\]]*$"
    r"|^(?:what|why|how|when(?!.*\b(?:always|never)\b)|where|who|which|should|could|would|can|will|do(?! not\b)|does|did|is|are|was|were|may|shall|have you|has)\b(?!.*\b(?:from now on)\b)"
    r"|\b(?:what if|maybe|perhaps|might|suppose|imagine|hypothetically|wondering|not sure|unsure|i guess|thinking (?:of|about)|could (?:also )?(?:be|use|do|try)|we could|it would|would be|would have|could have|let me know|tonight|tomorrow|this weekend|just kidding|jk|lol)\b"
    r"|^(?:if|in case|assuming|provided|unless|say)\b"
    r"|\b(?:for now|right now|this time|for this (?:one|task|pr|change|commit|file|session|test)|just this|this once|for the moment|at the moment|temporarily|for today|until (?:then|i|we|the)|as a test|in this (?:file|function|pr|commit|change|case|session|test|branch|example|step|pass))\b"
    r"|^(?:talvez|será que|e se|se |quem|quando|como|por que|onde|vielleicht|wenn |falls |was |wie |warum |ob |soll|quizás|tal vez|si |qué|cómo|cuándo|dónde)\b"
    r"|\b(?:por enquanto|desta vez|vorerst|diesmal|im moment|por ahora|esta vez)\b",
    re.IGNORECASE,
)  # fmt: skip

#: A request or a feeling that trails behind what was said; it is cut off.
TRAILING = re.compile(
    r",?\s+(?:so |and |but )?(?:now |now,? )?(?:(?:can|could|would|will) you\b|i'm (?:hoping|curious|wondering|trying)|i (?:want|need|would like|'d like) (?:to|you)\b|please help|what do you|do you|any (?:ideas|tips|thoughts))\b.*$",
    re.IGNORECASE,
)  # fmt: skip

#: Objects that mean nothing once the talk is over.
POINTING = re.compile(
    r"^(?:this|that|these|those|such)\b|^(?:it|them|one|him|her|all of (?:it|this|that)|both|either|neither|the (?:first|second|third|last|latter|former|other|same|above|following|rest|next)\b.*"
    r"|option \w+|choice \w+|plan [a-z0-9]\b|your \w+(?: \w+)?|yours|what(?:ever)? you .*|something|anything|everything|nothing|more|less|so|yes|no|isso|das|dies\w*|eso|esto)"
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
    r"\b(?:because|since|so that|due to|as it|as they|as we|which (?:is|means|keeps|makes|lets)|that way|porque|já que|weil|damit|da (?:wir|es|sie)|ya que|para que)\b",
    re.IGNORECASE,
)

#: Line of an error, exactly as a program wrote it.
ERROR_LINE = re.compile(
    r"^(?:E[ \t]+|[^\w\n]{0,4})("
    r"[A-Za-z_][\w.]*(?:Error|Exception|Warning|Panic|Interrupt|Timeout|NotFound|Denied|Exists|Refused)\b(?::| \[)[^\n]{3,240}"
    r"|(?:fatal|error|ERROR|FATAL|FAILED|panic)(?:\[[A-Z]?\d+\])?:? (?=\S)[^\n]{6,240}"
    r"|[^\n]{0,80}\b(?:[Nn]o such file or directory|[Pp]ermission denied|[Cc]ommand not found|[Cc]onnection refused|[Aa]ddress already in use|[Cc]annot find module|[Ss]egmentation fault)\b[^\n]{0,120}"
    r")",
    re.MULTILINE,
)
