"""What people tell outright in a few plain words: who they are and live with, what they eat, what they use, how things are called.

A sentence must be nothing else, so these are believed although they are too short for anything to speak for or against them. Each row
is a :class:`~vademecum.capture.patterns.Pattern` that takes a whole sentence, or what stands between two commas of one.
"""

from vademecum.capture.patterns import Pattern

#: More of the same, without an objection, a laugh, or what holds for one thing only.
_TAIL = r"(?:(?!,? (?:but|aber|pero|mas|haha+|jaja\w*|kkk+|lol|(?:in|for) (?:this|that)|here|hier|aquí|aqui)\b)[^.;:!?]){0,50}"
_MANY_EN = r"(?:(?:a|an|one|two|three|four|five|six|\d{1,2}|twin|no|grown|grown-up|small|little|adult|teenage|young|older|younger|big) )+"
_WHO_EN = (
    r"(?:wife|husband|partner|girlfriend|boyfriend|son|daughter|kids?|children|baby|dog|cat|puppy|horse|parrot|sister|brother|mother|mum|mom|father|dad|boss"
    r"|flatmate|roommate|company|team|firm|name)"
)
_NAME_EN = r"(?-i:[A-Z])[\w.+#/'-]*"
_MINE_DE = r"(?:mein|meine|unser|unsere)"
_HAVE_DE = r"(?:(?:einen?|eine|zwei|drei|vier|fünf|sechs|\d{1,2}|keine?|kleine?n?|große?n?|erwachsene|ältere?n?|jüngere?n?) )+"
_DAY_DE = r"(?:montags?|dienstags?|mittwochs?|donnerstags?|freitags?|samstags?|sonntags?|werktags|wochentags)"
_DAY_ES = r"(?:lunes|martes|miércoles|jueves|viernes|sábados?|domingos?|semana|mes|quince días)"
_DAY_PT = r"(?:segundas?|terças?|quartas?|quintas?|sextas?|sábados?|domingos?|semana|mês|quinze dias)"

OUTRIGHT: tuple[Pattern, ...] = (
    Pattern("en.identity.have", rf"^(?:i|we) (?:have|'ve got) {_MANY_EN}(?P<what>(?:kids?|child|children|sons?|daughters?|boys|girls|twins|brothers?|sisters?|siblings|dogs?|cats?|horses?|goats|hens|chickens|rabbits?|grandchildren|grandkids|grandsons?|granddaughters?)\b{_TAIL})$", importance=0.8),
    Pattern("en.identity.body", rf"^i(?:'m| am) (?:an? |strictly |also )?(?P<what>(?:vegetarian|vegan|allergic to|colou?r-?blind|dyslexic|left-handed|deaf|hard of hearing|diabetic|lactose intolerant|coeliac|celiac|pescatarian|retired|married|divorced|widowed|from {_NAME_EN}|originally from)\b{_TAIL})$", importance=0.8),
    Pattern("en.identity.diet", rf"^i (?:don't|do not|can't|cannot|never|no longer) (?:eat|drink) (?P<what>(?:any )?(?:meat|pork|beef|fish|seafood|shellfish|gluten|wheat|dairy|milk|eggs|nuts|peanuts|sugar|alcohol|coffee|caffeine)\b{_TAIL})$", importance=0.8),
    Pattern("en.identity.speak", rf"^i (?:also |only )?speak (?P<what>(?:fluent |some |a little |only )?{_NAME_EN}{_TAIL})$", importance=0.7),
    Pattern("en.fact.whose", rf"^my (?:[\w-]+ )?{_WHO_EN}(?:'?s name)? (?P<what>(?:is called|are called|is named|is {_NAME_EN}|lives|live|works as|works at|works for|is allergic|is diabetic|is vegan|is vegetarian|is \d{{1,2}}(?: years old)?$)\b{_TAIL})$", importance=0.7),
    Pattern("en.fact.called", r"^(?:the|our|my) (?:[\w-]+ ){0,2}[\w-]+ (?:is|are) (?P<what>(?:called|named) [^.;:!?]{2,50})$", importance=0.6),
    Pattern("en.fact.port", rf"^(?:the |our |my )?(?:[\w-]+ ){{0,2}}[\w-]+ (?:listens|runs|serves|answers) on (?P<what>(?:port )?:?\d{{2,5}}\b{_TAIL})$", importance=0.6),
    Pattern("en.fact.use", rf"^(?:i|we) (?:only |always |mostly |mainly |all )?(?:use|code in|program in|drive) (?P<what>{_NAME_EN}(?: [\w.+#/-]+){{0,3}})$", importance=0.6),
    Pattern("en.fact.we-indent", rf"^we (?:all |always |only )?(?:use|indent with) (?P<what>(?:tabs|(?:two|four|2|4) spaces|pnpm|npm|yarn|bun|poetry|uv|conda|docker|podman|rebase|squash merges)\b{_TAIL})$", importance=0.6),
    Pattern("en.fact.we-do-on", rf"^we (?:always |only |usually )?(?:deploy|release|ship|meet|rehearse|train|publish|invoice|back up) (?P<what>(?:on (?:mon|tues|wednes|thurs|fri|satur|sun)days?|every|once an?|twice an?)\b{_TAIL})$", importance=0.6),
    Pattern("en.preference.answers", rf"^(?:please )?(?:always )?(?:keep|make) (?:your |all (?:your )?)?(?P<what>(?:answers|replies|responses|explanations) (?:short|brief|simple|detailed|concise|formal|informal|plain)\b{_TAIL})$", importance=0.7),
    Pattern("en.preference.no-emojis", rf"^(?:please )?(?:never use|don't use|do not use|no|no more|stop using) (?P<what>(?:emojis?|emoticons|exclamation marks|bullet points|filler words|small ?talk)\b{_TAIL})$", importance=0.7),
    Pattern("de.identity.have", rf"^(?:ich habe|ich hab|wir haben) {_HAVE_DE}(?P<what>(?:kind(?:er)?n?|sohn|söhne|tochter|töchter|jungs|mädchen|zwillinge|bruder|brüder|schwestern?|geschwister|hund|hunde|katzen?|kater|pferde?|hühner|enkel(?:kinder)?|enkelin(?:nen)?)\b{_TAIL})$", importance=0.8),
    Pattern("de.identity.body", rf"^ich bin (?:auch )?(?P<what>(?:vegetarier(?:in)?|veganer(?:in)?|vegan|allergisch gegen|gegen [^.,;:!?]{{2,30}} allergisch|linkshänder(?:in)?|farbenblind|schwerhörig|gehörlos|diabetiker(?:in)?|laktoseintolerant|verheiratet|geschieden|verwitwet|rentner(?:in)?|alleinerziehend|krankenschwester|krankenpfleger)\b{_TAIL})$", importance=0.8),
    Pattern("de.identity.diet", rf"^ich (?:esse|trinke|vertrage) (?P<what>(?:überhaupt |gar )?kein(?:e|en)? (?:fleisch|schwein\w*|rind\w*|fisch|meeresfrüchte|gluten|weizen|milch\w*|eier|nüsse|erdnüsse|zucker|alkohol|kaffee|laktose)\b{_TAIL})$", importance=0.8),
    Pattern("de.identity.from", r"^ich (?:komme|stamme|bin) (?:ursprünglich |eigentlich )?aus (?P<what>(?-i:[A-ZÄÖÜ])\w+(?: [^.,;:!?]{1,20})?)$", importance=0.7),
    Pattern("de.identity.speak", rf"^ich spreche (?:auch |nur |fließend )?(?P<what>(?-i:[A-ZÄÖÜ])\w+{_TAIL})$", importance=0.7),
    Pattern("de.fact.called", rf"^(?:{_MINE_DE}|der|die|das) (?:[\w-]+ ){{0,2}}[\w-]+ (?P<what>(?:heißt|heißen) [^.;:!?]{{2,40}})$", importance=0.6),
    Pattern("de.fact.port", rf"^(?:der|die|das|{_MINE_DE}) (?:[\w-]+ ){{0,2}}[\w-]+ (?:läuft|lauscht|hört) auf (?P<what>(?:port )?\d{{2,5}}\b{_TAIL})$", importance=0.6),
    Pattern("de.fact.use", r"^(?:ich|wir) (?:benutzen?|nutzen?|verwenden?|fahren?) (?:nur |immer |meistens |hauptsächlich )?(?P<what>(?:tabs|leerzeichen|vier leerzeichen|zwei leerzeichen|pnpm|npm|docker|podman|vim|neovim|emacs|linux|windows|macos|firefox|obsidian|(?-i:[A-Z][a-z]+[A-Z.]\w*|[A-Z]{2,}\w*))(?: [^.,;:!?]{1,30})?)$", importance=0.6),
    Pattern("de.fact.we-do-on", rf"^wir (?:deployen|releasen|veröffentlichen|treffen uns|proben|trainieren|liefern) (?:immer |nur |meistens )?(?P<what>(?:{_DAY_DE}|jeden|jede|einmal|alle zwei)\b{_TAIL})$", importance=0.6),
    Pattern("de.preference.answers", rf"^(?:bitte )?(?:antworte|antworten sie|schreib|erkläre?)(?: mir)? (?:bitte )?(?:immer |stets )(?:bitte )?(?P<what>(?:kurz|knapp|ausführlich|einfach|auf (?:deutsch|englisch)|in ganzen sätzen|in stichpunkten)\b{_TAIL})$", importance=0.7),
    Pattern("es.identity.have", rf"^(?:yo )?(?:tengo|tenemos) (?:un|una|dos|tres|cuatro|cinco|\d{{1,2}}) (?P<what>(?:hij[oa]s?|niñ[oa]s|herman[oa]s?|gemel[oa]s|mellizos|perr[oa]s?|gat[oa]s?|caballos?|niet[oa]s?|gallinas)\b{_TAIL})$", importance=0.8),
    Pattern("es.identity.body", rf"^(?:yo )?soy (?P<what>(?:vegetarian[oa]|vegan[oa]|alérgic[oa] al?|celíac[oa]|diabétic[oa]|zurd[oa]|daltónic[oa]|sord[oa]|jubilad[oa]|viud[oa]|intolerante a|de (?-i:[A-ZÁÉÍÓÚ])\w+)\b{_TAIL})$", importance=0.8),
    Pattern("es.identity.diet", rf"^(?:yo )?no (?:como|bebo|tomo) (?P<what>(?:carne|cerdo|pescado|marisco|gluten|lácteos|leche|huevos?|alcohol|café|azúcar|frutos secos)\b{_TAIL})$", importance=0.8),
    Pattern("es.identity.live", r"^(?:yo )?(?P<what>(?:vivo en|vivimos en|trabajo (?:de|como)) [^.;:!?]{3,50})$", importance=0.8),
    Pattern("es.identity.speak", r"^(?:yo )?hablo (?P<what>(?:español|inglés|francés|alemán|catalán|gallego|euskera|portugués|italiano|chino|árabe)\b[^.;:!?]{0,50})$", importance=0.7),
    Pattern("es.fact.called", r"^(?:mi|mis|nuestr[oa]s?|el|la) (?:[\w-]+ ){0,2}[\w-]+ (?P<what>se llaman? [^.;:!?]{2,40})$", importance=0.6),
    Pattern("es.fact.port", rf"^(?:el|la|nuestr[oa]|mi) (?:[\w-]+ ){{0,2}}[\w-]+ (?:escucha|corre|responde) en el (?P<what>puerto \d{{2,5}}\b{_TAIL})$", importance=0.6),
    Pattern("es.fact.use", r"^(?:uso|usamos|utilizo|utilizamos|programo en|programamos en) (?:siempre |solo |sobre todo )?(?P<what>(?:tabuladores|tabulaciones|espacios|(?-i:[A-Z])[\w.+#/-]*)(?: [\w.+#/-]+){0,3})$", importance=0.6),
    Pattern("es.fact.we-do-on", rf"^(?:desplegamos|publicamos|nos reunimos|ensayamos|entrenamos|entregamos) (?:siempre |solo )?(?P<what>(?:los|el|cada|todos los|una vez por|una vez a la) {_DAY_ES}\b{_TAIL})$", importance=0.6),
    Pattern("es.preference.prefer", r"^(?:yo )?prefiero (?P<what>(?!est[eao]|es[eao]|aquell|el (?:primer|segund|tercer)|la (?:primer|segund|tercer)|no\b|sí\b|así\b|que\b|otr[oa]|mañana|hoy|ir\b|cenar)\w{4,}(?: \w+)?)$", importance=0.7),
    Pattern("es.preference.answers", rf"^(?:por favor,? )?(?:respóndeme|contéstame|responde|contesta) (?P<what>siempre (?:corto|breve|en (?:español|inglés)|con pocas palabras|en pocas palabras|sin rodeos|con brevedad)\b{_TAIL})$", importance=0.7),
    Pattern("pt.identity.have", rf"^(?:eu )?(?:tenho|temos) (?:um|uma|dois|duas|três|quatro|cinco|\d{{1,2}}) (?P<what>(?:filh[oa]s?|irmãos?|irmãs?|gémeos|gêmeos|cão|cães|cachorr[oa]s?|gat[oa]s?|cavalos?|net[oa]s?|galinhas)\b{_TAIL})$", importance=0.8),
    Pattern("pt.identity.body", rf"^(?:eu )?sou (?P<what>(?:vegetarian[oa]|vegan[oa]|alérgic[oa] a\w*|celíac[oa]|diabétic[oa]|canhot[oa]|daltónic[oa]|daltônic[oa]|surd[oa]|reformad[oa]|aposentad[oa]|viúv[oa]|intolerante à|d[eoa] (?-i:[A-ZÁÉÍÓÚ])\w+)\b{_TAIL})$", importance=0.8),
    Pattern("pt.identity.diet", rf"^(?:eu )?não (?:como|bebo|tomo) (?P<what>(?:carne|porco|peixe|marisco|glúten|lacticínios|laticínios|leite|ovos?|álcool|café|açúcar|frutos secos|amendoim)\b{_TAIL})$", importance=0.8),
    Pattern("pt.identity.live", r"^(?:eu )?(?P<what>(?:moro|vivo|moramos|vivemos) (?:em|no|na|nos|nas) (?-i:[A-ZÁÉÍÓÚ])[^.;:!?]{2,50}|(?:eu )?trabalho (?:como|de) [^.;:!?]{3,50})$", importance=0.8),
    Pattern("pt.identity.speak", r"^(?:eu )?falo (?P<what>(?:português|inglês|francês|alemão|espanhol|italiano|mandarim)\b[^.;:!?]{0,50})$", importance=0.7),
    Pattern("pt.fact.called", r"^(?:o|a|os|as|(?:[oa] )?(?:meu|minha|nosso|nossa)) (?:[\w-]+ ){0,2}[\w-]+ (?P<what>(?:chama-se|se chama|chamam-se) [^.;:!?]{2,40})$", importance=0.6),
    Pattern("pt.fact.port", rf"^(?:o|a|(?:[oa] )?(?:nosso|nossa|meu|minha)) (?:[\w-]+ ){{0,2}}[\w-]+ (?:escuta|corre|roda|responde) na (?P<what>porta \d{{2,5}}\b{_TAIL})$", importance=0.6),
    Pattern("pt.fact.use", r"^(?:eu |nós )?(?:uso|usamos|utilizo|utilizamos|programo em) (?:sempre |só )?(?P<what>(?:tabs|espaços|(?-i:[A-Z])[\w.+#/-]*)(?: [\w.+#/-]+){0,3})$", importance=0.6),
    Pattern("pt.fact.we-do-on", rf"^(?:fazemos deploy|publicamos|lançamos|reunimo-nos|nos reunimos|ensaiamos|treinamos|entregamos) (?:sempre |só )?(?P<what>(?:às|aos|à|ao|toda|todas as|todos os|uma vez por) {_DAY_PT}\b{_TAIL})$", importance=0.6),
    Pattern("pt.preference.prefer", r"^(?:eu )?prefiro (?P<what>(?!est[ea]|ess[ea]|aquel|isso|isto|o (?:primeir|segund|terceir)|a (?:primeir|segund|terceir)|não\b|sim\b|assim\b|que\b|outr[oa]|amanhã|hoje|ir\b|jantar)\w{4,}(?: \w+)?)$", importance=0.7),
    Pattern("pt.preference.answers", rf"^(?:por favor,? )?(?:responde|responda)(?:-me)? (?P<what>sempre (?:curto|em poucas palavras|em (?:português|inglês)|de forma (?:curta|breve)|sem rodeios|com poucas palavras)\b{_TAIL})$", importance=0.7),
    Pattern("zh.identity.have", r"^(?:我|我们|我们家|我家)(?:家)?(?:里)?有(?:一|两|俩|三|四|五|\d)(?:个|只|条|对)?(?P<what>(?:孩子|儿子|女儿|双胞胎|哥哥|姐姐|弟弟|妹妹|狗|猫|孙子|孙女|娃)[^，,。！？!?]{0,8})$", importance=0.8),
    Pattern("zh.identity.diet", r"^(?:我|本人)(?:一直|从小|是)?(?P<what>(?:吃素|素食主义者|不吃(?:肉|猪肉|牛肉|羊肉|鱼|海鲜|辣|香菜|蛋|鸡蛋|花生|葱|蒜)|不喝(?:酒|咖啡|牛奶)|乳糖不耐受?|对[^，,。]{1,8}过敏|糖尿病人|左撇子|色盲|色弱))(?:的)?$", importance=0.8),
    Pattern("zh.identity.trade", r"^我是(?:一)?(?:名|个|位)?(?P<what>[^，,。\s]{0,6}(?:护士|医生|老师|教师|律师|厨师|会计|程序员|工程师|设计师|翻译|司机|农民|退休教师|研究生|药剂师|左撇子))$", importance=0.8),
    Pattern("zh.identity.live", r"^我(?:们)?(?:家)?(?:现在)?住(?:在)?(?P<what>[^，,。！？!?了]{2,12})$", importance=0.8),
    Pattern("zh.fact.called", r"^(?:我|我们|我家)(?:的|家)?(?:狗|猫|儿子|女儿|老婆|老公|妻子|丈夫|公司|项目|团队|店)(?P<what>(?:名叫|名字是|叫)[^，,。！？!?]{1,12})$", importance=0.7),
    Pattern("zh.fact.port", r"^[^，,。！？!?]{1,14}(?P<what>(?:监听|跑在|用的是|在)\s*\d{2,5}\s*端口(?:上)?)$", importance=0.6),
    Pattern("zh.fact.we-do-on", r"^我们(?:都|一般|固定|总是|每)*(?P<what>(?:周|星期|礼拜)[一二三四五六日天](?:晚上|上午|下午|早上)?(?:发版|上线|部署|开会|开例会|发布|排练|训练))$", importance=0.6),
    Pattern("zh.fact.use", r"^(?:我|我们)(?:一直|都|平时|主要|只)?用\s?(?P<what>(?:制表符|空格缩进|(?-i:[A-Z])[\w.+#-]*)(?:写代码|开发|缩进)?)$", importance=0.6),
    Pattern("zh.preference.answers", r"^(?:以后)?(?:请|请你|你)?(?:回答|回复|答复)(?:我)?(?:请|要|尽量|都|的时候)*(?P<what>(?:简短|简洁|短|详细|用中文|用英文|直接)(?:一点|一些|点|些)?(?:就行|就好)?)$", importance=0.7),
)  # fmt: skip
