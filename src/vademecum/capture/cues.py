"""Signs that a sentence tells something durable, or that it does not: classes of words, in five languages.

A class stands for one role that words play, whatever their language: a team that speaks, a choice that was made, a habit, a
scope that ends today, a doubt, somebody else's word. What the classes weigh is learnt (:mod:`vademecum.capture.judge`); that
they are shared between languages lets what was learnt in one help in the others.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache


@dataclass(frozen=True, slots=False)
class Cue:
    """A class of words.

    Attributes:
        name: one word; part of the rationale a person reads.
        latin: alternatives of a regular expression that match whole words of European languages, accents removed, lower case.
        han: alternatives for Chinese, anywhere.
    """

    name: str
    latin: str
    han: str = ""

    @cached_property
    def regex(self) -> re.Pattern[str]:
        chinese = f"|(?:{self.han})" if self.han else ""
        return re.compile(rf"\b(?:{self.latin})(?!\w){chinese}")


#: Verbs that tell an agent, or a reader, to do something; they count at the beginning of a clause only.
_DO_EN = (
    r"add|adjust|answer|ask|avoid|build|bump|change|check|clean|close|commit|compare|compile|continue|convert|copy|correct|create|debug|delete|deploy|describe|disable|do|don't|dont|draft|drop"
    r"|edit|enable|explain|export|extract|fetch|find|fix|format|generate|give|go|help|ignore|implement|import|insert|install|investigate|keep|kill|let|let's|list|load|look|make|merge|move|name|open|optimi[sz]e"
    r"|paste|plan|please|plot|prepare|print|proofread|propose|provide|publish|pull|push|put|read|rebase|redo|refactor|reformat|release|remove|rename|repeat|replace|rerun|reset|restart|restore|return"
    r"|revert|review|rewrite|roll|run|save|search|send|set|show|simplify|skip|sort|split|start|stop|suggest|summari[sz]e|swap|take|tell|test|translate|trim|try|turn|undo|update|upgrade|upload|use|verify|wait|walk|wrap|write"
)
_DO_DE = (
    r"mach|mache|zeig|zeige|nimm|schreib|schreibe|fug|fuge|bau|baue|gib|sieh|schau|such|suche|andere|anderst|losch|losche|starte|start|ubersetze|erklar|erklare|pruf|prufe|probier|teste|lass|setz|setze|stell|stelle|benenn"
    r"|leg|lege|les|lies|hol|hole|schick|schicke|fass|korrigier|korrigiere|kurz|verschieb|installier|installiere|offne|schalte|nenn|plan|zerleg|hilf|mal|bitte|ruf|spar|frag|frage|sag|verwende|nutze|benutze|zeichne|entferne|ersetze|fuhr|fuhre"
)
_DO_PT = (
    r"poe|por favor|mostra|mostre|mostra-me|usa|use|faz|faca|acrescenta|adiciona|adicione|escreve|escreva|corre|roda|rode|ve|veja|abre|abra|desliga|muda|mude|apaga|apague|cria|crie|explica|explique|traduz|traduza|tira|tire|instala|instale|reinicia"
    r"|reinicie|renomeia|le|leia|da-me|diz|diga|manda|mande|testa|teste|confirma|experimenta|troca|troque|planeia|corrige|corrija|arruma|gera|gere|ajuda|me ajuda|me ajude|coloca|coloque|desfaz|torna|parte|continua|volta|deixa"
)
_DO_ES = (
    r"pon|ponlo|por favor|muestra|muestrame|ensename|usa|haz|hazlo|hazme|anade|agrega|escribe|escribeme|ejecuta|corre|mira|abre|apaga|cambia|borra|elimina|crea|explica|explicame|traduce|quita|instala|reinicia|renombra|lee|dame|di|dime|manda|mandame|prueba"
    r"|comprueba|planea|corrige|arregla|genera|ayuda|ayudame|coloca|deshaz|parte|sigue|vuelve|deja|busca|revisa|sube|resume|mueve|convierte"
)

CUES: tuple[Cue, ...] = (
    Cue("we", r"we|we're|we've|we'll|the team|our team|everyone|everybody|all of us|nos|a gente|a equipa|a equipe|toda a gente|wir|das team|alle|nosotros|el equipo|todo el mundo|todos", r"我们|咱们|大家|团队|我方"),
    Cue("our", r"our|ours|nosso|nossa|nossos|nossas|unser|unsere|unserem|unseren|unserer|nuestro|nuestra|nuestros|nuestras", r"我们的|我们家|我家|咱家|公司"),
    Cue("i", r"i|i'm|i've|i'd|im|ive|eu|ich|yo", r"我(?!们|家|的)"),
    Cue("me", r"me|myself|mir|mich|mim|comigo|conmigo", r"给我|对我|跟我|告诉我"),
    Cue("my", r"my|mine|meu|minha|meus|minhas|mein|meine|meinem|meinen|meiner|mi|mis", r"我的|我家"),
    Cue("you", r"you|your|you're|du|dich|dir|dein|deine|voce|tu|teu|tua|usted|te", r"你|您"),
    Cue("they", r"he|she|they|his|her|their|him|them|er|sie|sein|ihr|ele|ela|eles|elas|el dice|ella|ellos", r"他|她|他们"),
    Cue("decided", r"decided|decision|decisions|agreed|agreement|agree|settled|vote|voted|votes|signed off|sign-off|shook hands|jury is in|pulled the plug|beat|won|wins|got the nod|call it|called it|chose|chosen|picked|opted|landed on|went with|went for|going with|go with|committed to|standardi[sz]ed|official|officially|final|definite|consensus|verdict|approved|rejected|made the call|made up|booked|green light|plan is|signed|concluded"
        r"|kam raus|reißleine|reissleine|zugeschlagen|gewonnen|setzt sich durch|beschlossen|beschlossene|beschluss|entschieden|entscheidung|entscheidungen|geeinigt|einig|vereinbart|abgemacht|ausgemacht|abgesprochen|abgestimmt|festgelegt|steht fest|fix|endgultig|verstandigt|gebucht|geklart|einverstanden"
        r"|decidi|decidimos|decidido|decidida|decisao|decidiu|combinamos|combinado|combinou|acordamos|acordado|concordamos|concordaram|acordo|votamos|votou|escolhemos|escolheu|optamos|ficamos com|ficamos em|ficou|fechado|fechamos|assente|definido|bateu o martelo|bati o martelo|bati o pe|ganhou|venceu|puxamos o travao|batemos o martelo|aprovado|acertado|tomada|reservado"
        r"|decision|decidio|he decidido|hemos decidido|acordamos|acordado|quedamos|quedo|votamos|elegimos|elegido|escogimos|optamos|de acuerdo en|cerrado|cerramos|definitivo|aprobado|decanto|hablado|tomada|gano|gana|pisamos el freno",
        r"决定|开会说|商量的结果|定了|定下|敲定|拍板|商定|说好|说定|一致|同意|投票|选定|选了|选用|采用|谈妥|商量好|确定|通过了|结论|订好|签了|就用"),
    Cue("out", r"no longer|no more|not .{1,20} any ?more|dropped|dropping|ditched|abandoned|retired|scrapped|killed|killed off|threw out|thrown out|got rid|is out|are out|'s out|is dead|is gone|are gone|is history|lost|goes away|going away|sunset|sunsetting|done with|cancelled|canceled|deprecated|off the table|switched off|scratch what"
        r"|nicht mehr|kein .{1,20} mehr|raus|rausgeworfen|abgeschafft|abgeschaltet|gestrichen|gekundigt|geschichte|fliegt|fallt weg|wegfallen|vom tisch|verlassen|abgelost|eingestellt|gestorben"
        r"|ja nao|nao .{1,30} mais|deixamos|deixou de|abandonamos|largamos|acabou|acabar com|morreu|aposentado|cancelamos|cortadas|cortado|rejeitado|deitamos fora|desliga-se|saiu|sai|perdeu|nada de|fora"
        r"|ya no|dejamos|dejado|abandonamos|descartamos|descartado|tiramos|jubilamos|cancelamos|murio|se acabo|perdio|se va|desaparece|se apaga|rechazo|nada de|fuera",
        r"不再|不用了|不要了|不做了|不上了|不买了|不搞|淘汰|下线|停用|取消|砍掉|落选|扔掉|关掉|作废|退了|弃用|否了"),
    Cue("moved", r"moved|moving|move|migrated|switched|switching|replaced|replaces|instead of|rather than|changed|used to|from .{1,30} to|umgezogen|umgestiegen|umgestellt|gewechselt|ersetzt|statt|sondern|anstatt|zieht .{1,20} um|mudou|mudamos|migramos|trocamos|troca|substituiu|substituimos|em vez|passa|passam|passamos|passou|cambiamos|pasamos|paso|sustituyo|sustituimos|reemplazo|en vez|en lugar|se mudo|migro|migramos",
        r"改用|换成|换到|换用|改成|改为|迁到|迁移|搬到|转到|代替|取代"),
    Cue("anew", r"nowadays|these days|now (?:i|we|it's|its)|(?:i|we) now|it now|now not|as of|since (?:monday|tuesday|wednesday|thursday|friday|last|this)|back on|has taken over|gave up|handed over|picked up|jetzt (?:mache|bin|nutze|habe|arbeite|heisst)|mach jetzt|abgegeben|inzwischen|neuerdings|mittlerweile|agora (?:dou|faco|sou|trabalho|uso|vivo|temos|usamos)|hoje em dia|me he pasado|ahora (?:doy|hago|soy|trabajo|uso|vivo|tenemos|usamos|me dedico)|hoy en dia|ultimamente|passei a|pase a", r"现在(?:用|做|教|带|是|住|在)|改(?:带|教|做|学|行)|转行|换岗|如今"),
    Cue("stays", r"stays|stay|staying|remain|remains|keeping|sticking|stick with|it is|bleibt|bleiben|behalten|es wird|fica|ficam|ficamos|mantemos|mantem|continua|vai ser|se queda|seguimos|sigue|mantenemos|sera|nos quedamos", r"保留|保持|还是|继续|留着"),
    Cue("future", r"will|won't|'ll|shall|is going to|are going to|follows|wird|werden|kommt|vai|vamos|vao|va a|van a|vamos a|seran", r"将|会|要"),
    Cue("prefer", r"prefer|prefers|preferred|preference|rather|favou?rite|would like|i'd like|i like|i love|i enjoy|i value|appreciate|fan of|works best|work best|works better|work better|better for me|my taste|my rule|insist|care about|matters to me|bevorzuge|lieber|am liebsten|am besten|besser|mag|lege wert|wichtig|gefallt|bestehe|hilfreicher|wunsche|prefiro|gosto|gostaria|faco questao|importante|essencial|melhor|valorizo|prefiero|me gusta|me gustan|insisto|importa|imprescindible|mejor",
        r"喜欢|偏好|偏爱|更愿意|习惯|宁可|宁愿|希望|重要|最合适|最好|坚持"),
    Cue("dislike", r"hate|dislike|can't stand|cannot stand|can't deal|annoys|annoying|annoyed|bugs me|drives me|furious|allergic|not a fan|don't like|don't want|do not want|spare me|tired of|lost in|confuse|confuses|hasse|nervt|stort|argert|wahnsinnig|ausstehen|halte .{1,20} nichts|mag keine|mag kein|mag nicht|uberfordern|verschon|detesto|odeio|nao gosto|nao quero|nao suporto|irrita|irrita-me|incomoda|cansam|poupa|maluco|odio|no me gusta|no me gustan|no quiero|no soporto|molesta|me molesta|me saca|ahorrame|cansan",
        r"讨厌|不喜欢|受不了|最烦|不爱|不想|反感|别给|看着累"),
    Cue("always", r"always|never|ever|every|each|every time|whenever|no exceptions|without exception|generally|in general|consistently|everywhere|anywhere|nowhere|immer|nie|niemals|jedes mal|jedesmal|grundsatzlich|generell|uberall|nirgends|nirgendwo|ausnahmslos|stets|sobald|sempre|nunca|jamais|toda vez|sempre que|cada|em todo|em todas|em todos|em lado nenhum|geral|siempre|jamas|cada vez|en todas|en todos|en ninguna|en general",
        r"永远|总是|始终|一律|每次|每个|务必|必须|统一|从来|凡是|千万|绝对|一般|所有|都(?=[用要写先放存走是加保])"),
    Cue("lasting", r"from now on|going forward|from here on|in future|in the future|for good|permanently|as a rule|by default|anymore|any more|for ever|forever|from version|ab jetzt|ab sofort|kunftig|in zukunft|von nun an|ab version|ab heute|endgultig|fur immer|de agora em diante|daqui em diante|daqui para a frente|daqui pra frente|a partir d[aeo]|de vez|para sempre|no futuro|de ahora en adelante|a partir de|en adelante|desde (?:ahora|hoy|la version)|para siempre|en el futuro",
        r"从今|今后|往后|以后(?!再|也许|可能)|从现在起|从现在开始|开始只|起都|永久|彻底"),
    Cue("for-now", r"for now|right now|now|this time|this once|just this|today|tonight|tomorrow|only|just|at the moment|for the moment|currently|temporarily|meanwhile|yet|still|first|next|later|in a (?:minute|moment|hour)|this week|quick|quickly|diesmal|erstmal|erst mal|vorerst|heute|morgen|gerade|noch|gleich|kurz|heute nacht|nur|momentan|im moment|zuerst|nochmal|desta vez|por enquanto|hoje|amanha|agora|ainda|primeiro|outra vez|de novo|so|apenas|neste momento|esta vez|por ahora|hoy|manana|ahora|todavia|primero|otra vez|de momento|esta noche|solo|aun",
        r"这次|这回|只|先|暂时|目前|今天|明天|现在|一下|再|还在|等会|稍后|昨天|马上"),
    Cue("this", r"this|that|these|those|here|it|its|there|above|below|dies|diese|diesen|dieser|dieses|hier|das da|isto|isso|este|esta|esse|essa|nesta|neste|aqui|esto|eso|ese|esa|aquello", r"这个|那个|这里|那里|这段|这一|它|这样|那样|这(?!次)"),
    Cue("other-one", r"the other|the first|the second|the third|the last|option|first one|second one|another|das andere|die andere|das zweite|die zweite|den zweiten|o outro|a outra|a segunda|o segundo|el otro|la otra|la segunda|otra cosa", r"另一个|第[一二三四五]|别的|换一个|另外"),
    Cue("doubt", r"maybe|perhaps|might|could|should|would|probably|thinking|considering|wondering|not sure|unsure|dunno|debating|whether|best approach|i guess|some ?day|at some point|eventually|nothing is|nothing yet|not settled|don't know|dont know|no idea|weiss nicht|keine ahnung|nao sei|no se|vielleicht|eventuell|konnte|konnten|sollte|sollten|wurde|wurden|ware|hatten|uberlege|irgendwann|mal sehen|wohl|talvez|podia|podiamos|devia|deviamos|deveriamos|poderiamos|estou a pensar|pensando|quem sabe|um dia|logo se ve|quiza|quizas|tal vez|podriamos|deberiamos|podria|deberia|pensando|algun dia|a lo mejor|ya veremos",
        r"也许|可能|或许|考虑|要不要|会不会|应该|可以试|哪天|大概|好像|还没定|以后再|不知道"),
    Cue("if", r"if|suppose|supposing|imagine|what if|in case|assuming|unless|wenn|falls|angenommen|stell dir vor|hatten wir|se|e se|imagina|imagine|supondo|suponhamos|caso|si|y si|imagina|supongamos|supon", r"如果|假如|假设|要是|万一"),
    Cue("when", r"when|before|after|while|once|until|bevor|nachdem|sobald|bis|wahrend|quando|antes de|depois de|ao|cuando|antes de|despues de|tras|al", r"之前|之后|以后|的时候|时候"),
    Cue("ask", r"can you|could you|would you|will you|please|help me|i want you|i need|i'd like you|what|why|how|which|who|where|is there|any idea|kannst du|konntest du|bitte|was|warum|wieso|wie|welche|welcher|wer|wo|brauche|gibt es|podes|pode|voce pode|por favor|preciso|o que|que tal|porque e que|por que|porque|como|quantas|quantos|onde|puedes|podrias|por favor|necesito|que|por que|como|cuantas|cuantos|donde|quien",
        r"请|能不能|可以|怎么|为什么|什么|哪|谁|多少|帮我|帮|吗|呢|需要"),
    Cue("lets", r"let's|let us|lets|lass uns|lasst uns|vamos la|bora|vamos ver|vamos a ver|veamos", r"我们先|咱们先"),
    Cue("order", rf"{_DO_EN}|{_DO_DE}|{_DO_PT}|{_DO_ES}", r"把|给|用|改|加|写|看|跑|删|换|显示|画|读|做|装|试|继续|检查|解释|翻译"),
    Cue("dont", r"don't|dont|do not|no|stop|avoid|skip|leave out|spare|nothing|nicht|kein|keine|keinen|hor auf|lass|verzichte|weg|nao|nada|para de|evita|evite|deixa|deja de|ahorra|nunca", r"不要|别|不许|不用|禁止|少|没有|不能"),
    Cue("style", r"answer|answers|reply|replies|response|responses|explanation|explanations|comment|comments|commit|commits|commit messages|emoji|emojis|tone|wording|language|english|german|portuguese|spanish|french|chinese|british|units|metric|format|formatting|docstrings?|names|naming|tests|test|examples?|summary|summaries|bullet|bullets|bullet points|tables?|jargon|questions?|code|diffs?|functions|text|texts|style|spelling|types|type hints|lines|words|sentences|paragraphs|pull requests|prs|reviews?"
        r"|antwort|antworten|erklarungen?|kommentare?|nachrichten|commit-nachrichten|ton|sprache|deutsch|englisch|einheiten|namen|beispiele|zusammenfassungen?|stichpunkte|tabellen|fragen|texte|funktionen|satze|worte|worten|zeilen|zahlen|datumsangaben"
        r"|respostas?|explicacoes|comentarios?|mensagens|tom|lingua|portugues|ingles|unidades|nomes|exemplos|resumos?|topicos|tabelas|perguntas|textos|funcoes|frases|palavras|linhas|numeros|datas|testes|codigo"
        r"|respuestas?|explicaciones|mensajes|tono|idioma|espanol|ingles|unidades|nombres|ejemplos|resumenes|puntos|tablas|preguntas|textos|funciones|palabras|lineas|numeros|fechas|pruebas|codigo",
        r"回答|回复|解释|注释|提交信息|表情|语气|中文|英文|格式|名字|命名|测试|例子|总结|要点|表格|问题|代码|函数|单位|日期|变量|文案"),
    Cue("who", r"i'm an?|i am an?|im an?|i work|i run|i own|i teach|i study|i'm studying|i live|i'm from|i come from|i speak|i lead|i maintain|i look after|i was born|i grew up|i've been \w+ing (?:\w+ ){1,5}(?:for|since)|i've been a|years old|turned \w+|my birthday|retired|beginner|self-taught|i'm new to|im new to|background|by training|by profession|for a living|call me|my name|my job|my background|based in|based out of|as a|in charge of|responsible for|yrs|years of experience|colou?r ?blind|dyslexic|diabetes|allergic|adhd|vegan|vegetarian|deaf|blind|pregnant|left-handed|gluten"
        r"|ich bin|ich arbeite|ich betreibe|ich leite|ich unterrichte|ich studiere|ich wohne|ich lebe|ich komme|ich spreche|ich betreue|ich habe|ich baue|von beruf|seit|beruflich|rentner|anfanger|selbststandig|geburtstag|nenn mich|heisse|heiße|jahre alt|vertrage|vertragt"
        r"|sou|trabalho|moro|vivo|vivemos|moramos|estudo|ensino|lidero|venho|falo|tenho|tomo conta|cuido|dou aulas|chamo|me chamo|nasci|anos|reformado|aposentado|principiante|iniciante|faco anos|dono|dona|desde|mudei-me"
        r"|soy|estoy|trabajo|vivo|vivimos|estudio|enseno|doy clases|dirijo|llevo|vengo|hablo|tengo|cuido|me llamo|naci|anos|jubilado|principiante|cumplo|autonomo|desde|me mude",
        r"我是|我在|我住|我叫|我学|我教|我开|我做|我带|我管|我从|我有|我吃|我讲|我女儿|我先生|出身|新手|退休|岁|生日|过敏|叫我|人$|多年|年了"),
    Cue("family", r"wife|husband|partner|daughter|son|kids?|children|child|mother|father|mom|dad|parents|family|dog|cat|frau|mann|tochter|sohn|kinder|kind|mutter|vater|eltern|familie|hund|katze|mulher|marido|esposa|filha|filho|filhos|miudos|criancas|mae|pai|familia|cao|cachorro|gato|mujer|marido|esposa|hija|hijo|hijos|ninos|madre|padre|perro", r"老婆|老公|先生|太太|女儿|儿子|孩子|妈|爸|父母|家里|我家|狗|猫"),
    Cue("others", r"boss|colleague|colleagues|coworker|customer|client|friend|friends|neighbou?r|sister|brother|intern|maintainer|manager|stakeholder|reviewer|author|docs|documentation|manual|report|recipe|article|chef|kollege|kollegin|kollegen|kunde|kundin|freund|freundin|nachbar|schwester|bruder|praktikant|betreuer|vorganger|doku|bericht|rezept|handbuch|chefe|colega|colegas|cliente|amigo|amiga|vizinho|irma|irmao|estagiario|responsavel|documentacao|relatorio|receita|manual|jefe|companero|companera|vecino|hermana|hermano|becario|responsable|documentacion|informe|receta",
        r"同事|老板|客户|朋友|邻居|妹妹|姐姐|弟弟|哥哥|实习生|文档|报告|菜谱|领导|维护者|作者"),
    Cue("says", r"says|said|say|told|claims|thinks|wants|writes|wrote|asked|asks|sagt|sagte|meint|behauptet|will|schreibt|steht|fragt|diz|disse|quer|escreve|acha|pediu|dice|dijo|quiere|escribe|cree|pidio", r"说|觉得|认为|写着|想要|要求"),
    Cue("tale", r"story|poem|song|novel|chapter|hero|haiku|joke|card|letter|email|essay|speech|verse|king|gedicht|geschichte schreib|marchen|kapitel|held|witz|karte|brief|strophe|konig|conto|poema|historia|capitulo|heroi|piada|cartao|carta|estrofe|rei|cuento|poema|capitulo|chiste|tarjeta|carta|estrofa|rey", r"诗|故事|小说|卡片|笑话|章|国王|祝福"),
    Cue("fault", r"error|errors|bug|broken|fails|failed|failing|failure|crash|crashes|crashed|wrong|slow|red|stuck|warning|exception|empty|missing|problem|issue|doesn't work|not working|fehler|kaputt|abgebrochen|sturzt|falsch|langsam|leer|problem|rot|erro|falha|falhou|quebrado|lento|errado|vazio|problema|fecha|vermelho|avaria|fallo|falla|roto|lento|vacio|mal|cierra|rojo", r"错误|报错|失败|崩|闪退|慢|空了|红了|挂了|问题|不对|起不来|坏"),
    Cue("cause", r"culprit|root cause|cause|caused|turns out|turned out|found it|found the|because of|due to|was the|it was|came from|the trick|what helped|all along|whole bug|needed|just needed|forgot|schuld|ursache|gefunden|lag an|lag am|lag daran|kam von|kamen von|der trick|geholfen hat|war das|stellte sich|fehlte|culpa|causa|descobri|era o|era a|o truque|o que ajudou|vinham|vinha|faltava|afinal|la culpa|causa|lo encontre|era el|era la|el truco|lo que ayudo|venian|venia|faltaba|resulta|resulto",
        r"罪魁祸首|原因|找到了|原来|因为|关键|又是|是.{1,12}的问题|缺个|忘了"),
    Cue("cured", r"fixed|fixing|solved|resolved|cured|works now|works again|work again|made it|made the|did it|went away|got rid|gets? rid|ended|back to normal|it compiles|loads|helped|clean|stopped (?:happening|crashing|failing)|no more (?:crashes|errors)|hasn't (?:crashed|failed|happened)|back to a|back to normal|is back|are back|goes through|went through|did the trick|behoben|gelost|lauft|lauft wieder|ging|geht wieder|stimmt wieder|ist ruhe|seit dem|seitdem|kein absturz|klappt|geht wieder|resolveu|resolvido|resolvi|corrigi|ficou bem|voltou a|funciona|ajudou|acabaram|parou de|deixou de|voltou|ja da|passou|nunca mais (?:caiu|falhou|deu)|arreglo|arregle|solucionado|resuelto|solucione|quedo bien|volvio a|funciona|se acabaron|cuadran|dejo de|y listo|volvio|ya va|paso", r"解决|修好|修复|好了|正常了|就对了|能用了|恢复了|就没有|没再"),
    Cue("lesson", r"lesson|lessons|learned|learnt|never again|next time|hard way|burned|note to|good to know|takeaway|moral|gotcha|bit us|remember|keep in mind|paid for|cost us|cost me|gelernt|lehre|nie wieder|nachstes mal|harte tour|merke|merk dir|fur spater|nase gefallen|gekostet|licao|aprendi|aprendemos|nunca mais|da proxima|pior maneira|para o futuro|nossa custa|custou|lembra|leccion|aprendi|aprendimos|nunca mas|la proxima|a golpes|para el futuro|escaldados|costo|recuerda",
        r"教训|经验|踩坑|踩过坑|吃过亏|吃过大亏|下次|记住|记一笔|搭进去|学到"),
    Cue("is", r"is|are|is called|are called|has|have|lives|live|runs|run on|runs on|sits|uses|use|starts|takes|comes from|belongs|needs|ships|goes|closes|listens|hosted|heißt|heisst|ist|sind|hat|haben|liegt|liegen|steht|lauft|beginnt|braucht|brauchen|kommt|kommen|e|sao|tem|temos|corre|roda|usa|usamos|fica|chama-se|comeca|precisa|precisam|esta|estao|vem|vive|es|son|tiene|tenemos|se llama|corre|usa|usamos|empieza|necesita|necesitan|esta|estan|sale|viene", r"是|有|在|叫|跑在|来自|用的是|需要"),
    Cue("ops", r"prod|production|staging|server|servers|database|db|queue|repo|repository|ci|deploy|deploys|deployed|release|releases|branch|backend|frontend|api|stack|cluster|host|hosts|vpn|backup|backups|cloud|pipeline|build|builds|framework|produktion|testsystem|datenbank|warteschlange|veroffentlicht|sicherungen|producao|servidor|servidores|base de dados|banco|fila|repositorio|produccion|base de datos|cola", r"生产|测试环境|服务器|数据库|队列|仓库|部署|发布|发版|前端|后端|框架|架构"),
    Cue("clock", r"monday|tuesday|wednesday|thursday|friday|saturday|sunday|mondays|thursdays|fridays|weekdays|weekly|daily|nightly|monthly|month|year|deadline|o'clock|montags?|dienstags?|mittwochs?|donnerstags?|freitags?|sonntags?|sonntag|wochentlich|werktagen|werktag|frist|segunda|terca|quarta|quinta|sexta|semanal|mensal|prazo|domingos|dias uteis|lunes|martes|miercoles|jueves|viernes|domingos|semanal|plazo|dias laborables", r"周[一二三四五六日]|星期|每周|每月|每天|截止|点开始|工作日"),
    Cue("date", r"(?:january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec) \d+|\d+(?:st|nd|rd|th)?\.? (?:of )?(?:january|february|march|april|may|june|july|august|september|october|november|december|januar|februar|marz|mai|juni|juli|oktober|dezember|de (?:janeiro|fevereiro|marco|abril|maio|junho|julho|agosto|setembro|outubro|novembro|dezembro|enero|febrero|marzo|mayo|junio|julio|septiembre|octubre|noviembre|diciembre))|20\d\d", r"\d+月\d+[日号]"),
    Cue("doing", r"trying to|planning|considering|looking (?:for|into|to|at)|working on|hoping|interested in|excited|worried|stressed|concerned|anxious|nervous|struggling|having (?:trouble|issues|a hard time)|curious|preparing|getting ready|learning about|exploring|wondering|i think|i feel|i believe|i wonder|versuche|plane|uberlege|suche|interessiere|mache mir sorgen|bereite|ich denke|ich glaube|tentando|a tentar|planejando|planeando|a planear|procurando|a procura|interessad[oa]|preocupad[oa]|ansios[oa]|animad[oa]|acho que|creo que|intentando|tratando|buscando|interesad[oa]|nervios[oa]|pienso que|preparando",
        r"正在|打算|想要|试着|准备|担心|在找|感兴趣|我觉得|我想|焦虑|考虑"),
    Cue("event", r"met|attended|discussed|shared|reached|started|finished|completed|bought|visited|went to|had a|heard|read|saw|watched|got back|received|submitted|joined|talked with|spoke with|getroffen|besucht|gelesen|gekauft|gesehen|erhalten|fertig geworden|encontrei|conheci|comprei|terminei|comecei|recebi|visitei|li|vi|conoci|compre|termine|empece|recibi|visite|lei", r"见了|参加了|买了|看了|读了|收到|完成了|去了|开始了"),
    Cue("reason", r"because|since|so that|as it|as we|weil|da|damit|denn|porque|ja que|pois|porque|ya que|pues|asi que|por isso|so|therefore|deshalb|daher", r"因为|所以|由于|这样"),
    Cue("feel", r"lol|haha|hungry|tired|sick|bored|hurry|sorry|thanks|thank|great|cool|nice|love it|lovely|sounds|ok|yes|yeah|no idea|hello|hi|good morning|danke|super|hunger|krank|eilig|hallo|klingt|obrigado|obrigada|ola|fome|doentes|pressa|gracias|hola|hambre|prisa|jaja|genial|vale", r"谢谢|哈哈|饿|病|你好|好的|不错|赶时间|烦死"),
    Cue("past", r"yesterday|last (?:week|month|year|night)|earlier|tried|was|were|did|gestern|letzte|letzten|vorhin|ontem|passado|passada|semana passada|ayer|pasado|pasada|era|estaba", r"昨天|上个月|上周|之前|刚才|上次"),
    Cue("many", r"\d+(?:[.,]\d+)?|two|three|four|five|ten|forty|fifty|zwei|drei|vier|funf|zehn|vierzig|dois|duas|tres|quatro|cinco|dez|dos|cuatro|diez|cuarenta", r"[一二三四五六七八九十两百千万]+[个台行次岁年天小]"),
    Cue("agent-work", r"i'll|i will|i'm going|i'm waiting|i decided to|we have to|we need to|i have a|i tried|i'm getting|i'm on|ich probiere|ich warte|ich versuche|wir mussen|habe beschlossen|vou|estou a|estou|temos de|temos que|tenho de|decidi olhar|voy a|estoy|tenemos que|tengo que|he decidido mirar", r"我在等|我在测|我试|我们要|我们需要|我先|我马上|让我"),
)  # fmt: skip


@lru_cache(maxsize=512)  # a sentence is asked about again and again
def found(flat: str) -> tuple[tuple[Cue, re.Match[str]], ...]:
    """The classes that speak in a sentence, with the first words of each.

    Args:
        flat: the sentence in lower case, without accents (:func:`vademecum.capture.judge.flattened`).
    """
    likely = _beginnings().likely(flat) if flat.isascii() else range(len(CUES))
    tried = ((CUES[number], CUES[number].regex.search(flat)) for number in likely)
    return tuple((cue, match) for cue, match in tried if match)


class _Beginnings:
    """By which words the classes may begin: to look for thirty classes of words in each sentence is what judging it costs."""

    def __init__(self, cues: Sequence[Cue]) -> None:
        self._words: dict[str, set[int]] = defaultdict(set)
        self._parts: dict[str, set[int]] = defaultdict(set)
        self._any: set[int] = set()
        for number, cue in enumerate(cues):
            for alternative in _alternatives(cue.latin):
                self._note(number, alternative)
        self._longest = max(map(len, self._parts), default=0)

    def _note(self, number: int, alternative: str) -> None:
        lead = _LEAD.match(alternative)
        following = alternative[lead.end() :][:1] if lead else ""
        if lead is None:
            self._any.add(number)
        elif following in _ENDS:
            self._words[lead[0]].add(number)
        elif following in _REPEATS and len(lead[0]) == 1:
            self._any.add(number)
        else:
            self._parts[lead[0][:-1] if following in _REPEATS else lead[0]].add(number)

    def likely(self, text: str) -> list[int]:
        """Numbers of the classes that may speak in a text, in order."""
        numbers = set(self._any)
        for word in set(_LEAD.findall(text)):
            numbers |= self._words.get(word, _NONE)
            for size in range(1, min(len(word), self._longest) + 1):
                numbers |= self._parts.get(word[:size], _NONE)
        return sorted(numbers)


def _alternatives(pattern: str) -> Iterator[str]:
    """What stands between the bars of a regular expression, those within brackets left alone."""
    depth = start = 0
    for place, letter in enumerate(pattern):
        depth += (letter in "([") - (letter in ")]")
        if letter == "|" and depth == 0:
            yield pattern[start:place]
            start = place + 1
    yield pattern[start:]


@cache
def _beginnings() -> _Beginnings:
    return _Beginnings(CUES)


_LEAD = re.compile(r"\w+")
#: What ends a word in a pattern, what makes its last letter one of several or none, and no classes.
_ENDS, _REPEATS = ("", " ", "'", "-", ","), ("?", "*", "{")
_NONE: frozenset[int] = frozenset()
