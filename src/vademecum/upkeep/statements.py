"""Two statements side by side: do they say the same, the opposite, another value of the same thing, more, or something else?

Vectors cannot tell: "uses tabs" and "uses spaces", 8080 and 8081, "likes" and "does not like" lie as near to each other as a sentence
and its paraphrase. So this looks at the words: what both share, where they differ, and what stands there. It is meant to be sure
rather than complete: what it cannot tell is "unclear", and nothing is done about it without a model or a person.

Words are known in English, German, Spanish, Portuguese and Chinese. Pure.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Literal, NamedTuple

#: What the second statement is to the first. "less": it says a part of it. "value": another value where only one can hold.
Relation = Literal["same", "opposite", "value", "replaces", "more", "less", "unclear", "other"]

#: Longer statements are texts; comparing them word by word says nothing.
STATEMENT_MAX_WORDS, STATEMENT_MAX_CHARS = 60, 600
#: "From X to Y" is about a known X only when the statements share so much.
REPLACES_MIN_OVERLAP = 0.3
#: A value has at most so many words, or characters where words are not divided.
VALUE_MAX_WORDS, VALUE_MAX_CHARS = 4, 10

#: Words in any order of two statements that say "something changed". What they say beyond that is told by the group they stand in.
_CHANGED = (
    r"from now on|as of (?:now|today)|these days|nowadays|now|instead|currently|henceforth|going forward"
    r"|ab (?:sofort|jetzt|heute)|von (?:jetzt|nun) an|inzwischen|mittlerweile|kunftig|neuerdings|jetzt|nun|stattdessen"
    r"|a partir de (?:ahora|hoy|agora|hoje)|de ahora en adelante|de agora em diante|desde ahora|ahora|actualmente|agora|atualmente"
)
_CHANGED_CHINESE = "从现在开始|从今以后|现在起|现在|如今|以后|改为|换成|转用"
_NO_LONGER = (
    r"(?:is |are |do |does |did )?no longer|(?:no|not|n't)(?= .*\b(?:anymore|any more|any longer)\b)|nicht mehr|kein\w*(?= .*\bmehr\b)"
    r"|nicht(?= .*\bmehr\b)|nie mehr|ya no|ja nao|nao(?= .*\bmais\b)|(?:has |have )?stopped"
)
_LEFT_OVER = r"\b(?:anymore|any more|any longer|mehr|mais)\b"
_ADDS = r"also|too|as well|additionally|in addition|besides|auch|ausserdem|zusatzlich|tambien|ademas|tambem|alem disso"
_NOT = r"not|n't|never|cannot|neither|nicht|kein(?:e|en|em|er|es)?|nie|niemals|nunca|jamas|nao|nem|jamais"
#: "no" denies at the beginning, before the first words, and behind the second; anywhere else it is Portuguese for "in the".
_NO_BEFORE = frozenset(
    "me te le se lo la les nos os los las hay quiero quiere queremos usa uso usamos es son esta vive vivo tiene tengo tenemos"
    " trabaja trabajo gusta debe puede escribe escribo".split()
)
_NO_BEHIND = frozenset("has have had is are was with wants want uses use there and or but says needs likes of".split())
_TAKES_PLACE = (
    # "from X to Y", "von X auf Y", "de X a Y"; then "Y instead of X"
    re.compile(r"\b(?:from|von|vom|desde|de|do|da) (?P<gone>[\w.+#-]+(?: [\w.+#-]+)?) (?:to|auf|zu|nach|a|para|por) "),
    re.compile(
        r"\b(?:instead of|in place of|replac(?:es|ed|ing)|anstelle von|anstatt|statt|en (?:vez|lugar) de|em (?:vez|lugar) d[eoa])"
        r" (?:in |im |de |da |do |the |el |la )*(?P<gone>[\w.+#-]+(?: [\w.+#-]+)?)"
    ),
)
_SWITCHED = re.compile(
    r"\b(?:switch\w*|mov\w+|migrat\w+|chang\w+|rewr\w+|upgrad\w+|port\w+|convert\w+|umgestiegen|gewechselt|wechsel\w*|umgezogen|umgestellt"
    r"|cambia\w*|pasa\w*|migra\w*|muda\w*|passa\w*|troca\w*)\b"
)

#: Verbs that say too little for two statements with one of them to be about the same.
_COMMON_VERBS = frozenset({"be", "use", "do", "have", "go", "like", "prefer", "want", "keep", "decide"})
#: Verbs whose slot holds one value for one subject. Anything else that a thing can have several of is not here: like, know, speak, have.
_SINGLE: Mapping[str, str] = {
    "be": "is are was were am be been being ist sind war waren bin es son era esta estan sao foi fica e 是 在",
    "use": "use uses using used nutze nutzt nutzen benutzt benutzen verwende verwendet verwenden usa uso usan usamos utiliza"
    " utilizamos 用 使用",
    "run": "run runs running lauft laufen corre corren rodar roda rodam funciona 运行",
    "listen": "listen listens listening lauscht hort escucha escuta escutam 监听",
    "deploy": "deploy deploys deployed ausgeliefert despliega desplegamos 部署到",
    "keep": "keep keeps kept store stores stored save saved held liegt liegen lagern gespeichert guarda guardan guardam fica ficam 存 保存",
    "write": "write writes written writing schreibt schreibe geschrieben escribe escribo escriben escreve escrevo escrevem 写",
    "start": "start starts starting begin begins beginnt startet empieza comienza comeca inicia 开始",
    "end": "end ends ending expires endet termina acaba 结束",
    "plan": "plan plans planned scheduled due geplant previsto planeado planejado prevista planeada",
    "do": "made done happens hace hacen faz fazem gibt geschieht 做",
    "decide": "decided decide chose chosen picked entschieden beschlossen decidimos elegimos escolhemos 决定",
}
#: As above, and said of a person it needs no other shared word: nobody lives or works in two places as far as memory goes.
_UNIQUE: Mapping[str, str] = {
    "live": "live lives living wohne wohnt wohnen lebe lebt vive vivo mora moro resides 住",
    "work": "work works working arbeite arbeitet trabaja trabajo trabalha trabalho 工作",
}
#: Verbs that a thing can be said of with several values.
_SEVERAL: Mapping[str, str] = {
    "like": "like likes liked love loves enjoy enjoys mag mogen liebt gusta gustan encanta gosta gosto gostam adora 喜欢 爱",
    "prefer": "prefer prefers preferred favour favours favor favors bevorzuge bevorzugt prefiere prefiero prefere prefiro 偏好 更喜欢",
    "want": "want wants wanted mochte will wollen quiere quiero quer quero 想要 要",
    "have": "have has had hat habe haben tiene tengo tem tenho 有",
    "go": "go goes gehen geht va vao 去",
    "dislike": "dislike dislikes hate hates avoid avoids hasst vermeidet odia evita odeia 讨厌",
}
#: Tell for what, when or where something holds rather than what: another word behind them is another matter. Weaker ones do so
#: only behind verbs of using and wanting ("tabs in Go"); behind others they lead to the value ("stored in S3").
_SCOPES = frozenset("for when while during if fur wenn wahrend bei beim para cuando durante quando por 当".split())
_WEAK_SCOPES = frozenset("no in on at im am an en em na nos nas mit with con com".split())
#: Behind these any small word leads to the value: "planned for June", "arbeitet bei".
_LED_VERBS = frozenset({"plan", "work", "live"})
_SCOPED_VERBS = frozenset({"use", "prefer", "like", "want", "dislike", "have"})
#: Words that lead to a value or a place and say nothing by themselves.
_LEADS = frozenset(
    "to of by as zu zum zur von vom auf als um al del de do da dos das a o as los las el la lo le se sich uma un una unos unas ao"
    " aos 里 上 于 了 的".split()
)
#: Say nothing about what a statement states.
_FILLERS = frozenset(
    "the a an this that these those i we you my our your user users usuario utilizador usuario ich wir mein meine unser unsere der die das"
    " den dem des ein eine einen einem einer er sie ihr ihre yo nosotros mi mis nuestro nuestra eu nos meu minha nosso"
    " nossa always just really"
    " me mim comigo mir mich conmigo"
    " immer siempre sempre it its has been have had will shall would do does did gerne gern que 我 我们 用户 我的 您".split()
)
#: What counts things up: with another number behind it, it is another thing.
_COUNTED = frozenset(
    "issue ticket bug pr request chapter section page step room version release phase sprint day week task episode part level"
    " kapitel abschnitt seite schritt raum zimmer tag woche aufgabe capitulo seccion pagina paso sala versao versao"
    " tarea fase 第".split()
)
_WORD = re.compile(r"[^\W_]+(?:[.:/_+#-][^\W_]+)*[+#]*", re.UNICODE)
_CHINESE = re.compile(r"[\u3400-\u9fff]")
_ENDINGS = frozenset(
    ("", "s", "es", "ed", "d", "ing", "n", "en", "e", "t", "te", "er", "em", "a", "o", "as", "os", "an", "am", "mos")
)
_STEM_MIN = 4


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement taken apart.

    Attributes:
        words: what it says, in order, as compared; Chinese by characters. leads: before each word, the small word that leads to it.
        verbs: at which of `words` a known verb stands.
        negative: it denies. changed: it says that something is no longer as it was. adds: it says that something comes on top.
        gone: words of what it takes the place of ("from Fly to Render", "instead of Fly").
    """

    words: tuple[str, ...]
    leads: tuple[str, ...]
    verbs: frozenset[int]
    negative: bool = False
    changed: bool = False
    adds: bool = False
    gone: tuple[str, ...] = ()

    @property
    def content(self) -> frozenset[str]:
        """Its words but the verbs that many statements share."""
        return frozenset(word for word in self.words if word not in _VERB_NAMES)


@dataclass(frozen=True, slots=True)
class Comparison:
    """What `new` is to `old`.

    Attributes:
        shared: words of content that both hold. overlap: Dice's coefficient of all words, 0..1.
        changed: `new` says that something changed. adds: that something comes on top.
    """

    relation: Relation
    shared: frozenset[str]
    overlap: float
    changed: bool = False
    adds: bool = False


def _forms(*tables: Mapping[str, str]) -> dict[str, str]:
    return {form: name for table in tables for name, forms in table.items() for form in forms.split()}


_VERB_OF = _forms(_SEVERAL, _UNIQUE, _SINGLE)
_VERB_NAMES = frozenset(_VERB_OF.values())
_LONG_CHINESE = tuple(sorted((word for word in (*_VERB_OF, *_FILLERS, *_LEADS) if _CHINESE.match(word)), key=len, reverse=True))


def compare(old: str, new: str) -> Comparison:
    """What the second statement is to the first, by their words."""
    if max(len(old), len(new)) > STATEMENT_MAX_CHARS:
        return Comparison("other", frozenset(), 0.0)
    one, two = taken_apart(old), taken_apart(new)
    words = _alike(one.words, two.words)
    shared = frozenset(words) & one.content
    overlap = 2 * _matched(one.words, words) / max(1, len(one.words) + len(words))
    if max(len(one.words), len(words)) > STATEMENT_MAX_WORDS:
        relation: Relation = "other"
    else:
        relation = _relation(one, two, words, shared)
    return Comparison(relation, shared, overlap, two.changed, two.adds)


def _relation(one: Statement, two: Statement, words: tuple[str, ...], shared: frozenset[str]) -> Relation:
    if _takes_place(one, two, words, shared):
        return "replaces"
    if not one.words or not words:
        return "other"
    changes = [code for code in SequenceMatcher(None, one.words, words, autojunk=False).get_opcodes() if code[0] != "equal"]
    kinds = {code[0] for code in changes}
    if one.negative != two.negative:
        return "opposite" if kinds <= {"delete"} and (shared or not changes) else "other"
    if not kinds or kinds in ({"insert"}, {"delete"}):
        return "same" if not kinds else "more" if kinds == {"insert"} else "less"
    if len(changes) > 1:
        return "unclear" if shared else "other"
    _, start, end, begin, stop = changes[0]
    return _at_value(one, two, words, _Place(start, end, begin, stop), shared)


def _takes_place(one: Statement, two: Statement, words: tuple[str, ...], shared: frozenset[str]) -> bool:
    """Whether the new statement names what it takes the place of, and the old one says just that of the same thing."""
    common = shared | (frozenset(words) & frozenset(one.words) - _COMMON_VERBS)
    about = [word for word in common if not any(_same_word(word, lost) for lost in two.gone)]
    held = all(any(_same_word(word, known) for known in one.words) for word in two.gone)
    overlap = 2 * _matched(one.words, words) / max(1, len(one.words) + len(words))
    return bool(two.gone and about and held and overlap >= REPLACES_MIN_OVERLAP)


class _Place(NamedTuple):
    """Where two statements differ: words `start` to `end` of the old one, `begin` to `stop` of the new one."""

    start: int
    end: int
    begin: int
    stop: int


def _at_value(one: Statement, two: Statement, words: tuple[str, ...], at: _Place, shared: frozenset[str]) -> Relation:
    """The statements differ in one place: is it where a single value stands?"""
    values = one.words[at.start : at.end], words[at.begin : at.stop]
    before = [number for number in one.verbs if number < at.start]
    longest = VALUE_MAX_CHARS if any(_CHINESE.match(word) for part in values for word in part) else VALUE_MAX_WORDS
    if not before or max(map(len, values)) > longest:
        return "unclear" if shared else "other"
    verb = one.words[max(before)]
    numbers = all(any(_is_number(word) for word in part) for part in values)
    inner = (*one.leads[at.start + 1 : at.end], *two.leads[at.begin + 1 : at.stop])
    scoped = not numbers and _scoped(verb, {one.leads[at.start], two.leads[at.begin]}, at_once=max(before) + 1 == at.start)
    if one.words[at.start - 1] in _COUNTED or scoped or any(lead in _SCOPES | _WEAK_SCOPES for lead in inner):
        return "other"  # another thing of many, another use of it, or another value for another use
    if verb in _UNIQUE:
        return "value"
    single = numbers or verb in _SINGLE
    return "other" if not shared else "value" if single else "unclear"


def _scoped(verb: str, leads: set[str], *, at_once: bool) -> bool:
    """Whether what stands behind these small words tells for what or where something holds, rather than what."""
    if verb in _LED_VERBS:
        return False
    return bool(leads & _SCOPES) or bool(leads & _WEAK_SCOPES and verb in _SCOPED_VERBS and not at_once)


@lru_cache(maxsize=256)
def taken_apart(text: str) -> Statement:
    """The words of a statement, without what only tells how they are meant.

    The last ones are kept: a new statement is compared with some ten known ones, and the next with many of the same.
    """
    plain = f" {bare(text)} "
    plain, no_longer = _without(plain, _NO_LONGER)
    if no_longer:
        plain = re.sub(_LEFT_OVER, " ", plain)
    plain, stopped = re.subn("不再|再也不|已经不", " ", plain)
    plain, changed = _without(plain, _CHANGED)
    plain, changed_too = re.subn(_CHANGED_CHINESE, " ", plain)
    plain, switched_to = re.subn("改用", "用", plain)
    plain, adds = _without(plain, _ADDS)
    plain, adds_too = re.subn("也|还|另外", " ", plain)
    gone: tuple[str, ...] = ()
    for number, form in enumerate(_TAKES_PLACE):
        found = form.search(plain)
        if found and (number or _SWITCHED.search(plain)):
            gone += tuple(word for word in found["gone"].split() if word not in _FILLERS | _LEADS | _WEAK_SCOPES)
            plain = plain[: found.start()] + " " + plain[found.end() :]
    plain, denied = _without(plain, _NOT)
    plain, denied_no = _without_no(plain)
    plain, denied_too = re.subn("不|没|别|勿", " ", plain)
    words, leads, verbs = _words(plain)
    hated = words.count("dislike")
    words = ["like" if word == "dislike" else word for word in words]
    negative = bool((bool(no_longer or stopped) + denied + denied_no + denied_too + hated) % 2)
    has_changed = bool(no_longer or stopped or changed or changed_too or switched_to)
    return Statement(tuple(words), tuple(leads), frozenset(verbs), negative, has_changed, bool(adds or adds_too), gone)


def _words(plain: str) -> tuple[list[str], list[str], list[int]]:
    words: list[str] = []
    leads: list[str] = []
    verbs: list[int] = []
    lead = ""
    for word in _split(plain):
        if word in _SCOPES or word in _WEAK_SCOPES or word in _LEADS:
            lead = word if word in _SCOPES or not lead else lead
            continue
        if word in _FILLERS:
            continue
        name = _VERB_OF.get(word, "")
        if name:
            verbs.append(len(words))
        if name == "be":  # says that something is; "is listening" and "listens" are one
            words.append("be")
        else:
            words.append(name or word)
        leads.append(lead)
        lead = ""
    return _without_be(words, leads, verbs)


def _without_be(words: list[str], leads: list[str], verbs: list[int]) -> tuple[list[str], list[str], list[int]]:
    """Without "be" where another verb says more."""
    if len(verbs) < 2 or "be" not in words:
        return words, leads, verbs
    kept = [number for number, word in enumerate(words) if word != "be"]
    return [words[n] for n in kept], [leads[n] for n in kept], [kept.index(n) for n in verbs if n in kept]


def _split(plain: str) -> Iterable[str]:
    """Words; what is Chinese among them by known words, else by characters."""
    for match in re.finditer(rf"{_CHINESE.pattern}+|[^\u3400-\u9fff]+", plain):
        run = match[0]
        if not _CHINESE.match(run):
            yield from _WORD.findall(run)
            continue
        at = 0
        while at < len(run):
            known = next((word for word in _LONG_CHINESE if run.startswith(word, at)), run[at])
            yield known
            at += len(known)


def _without(plain: str, words: str) -> tuple[str, int]:
    """The text without some words, and how many there were."""
    return re.subn(rf"(?<!\w)(?:{words})(?!\w)", " ", plain)


def _without_no(plain: str) -> tuple[str, int]:
    """The text without "no" where it denies, and how often it did."""
    words = plain.split()
    denying = [
        number
        for number, word in enumerate(words)
        if word == "no"
        and (not number or words[number - 1] in _NO_BEHIND or (number + 1 < len(words) and words[number + 1] in _NO_BEFORE))
    ]
    return " " + " ".join(word for number, word in enumerate(words) if number not in denying) + " ", len(denying)


def is_little(word: str) -> bool:
    """Whether a word says nothing about what a statement is about: an article, a pronoun, a preposition."""
    return word in _FILLERS or word in _LEADS or word in _SCOPES or word in _WEAK_SCOPES


def bare(text: str) -> str:
    """Small letters, without accents, contractions told apart, without what ends a sentence."""
    folded = unicodedata.normalize("NFKD", text.casefold().replace("’", "'"))
    plain = "".join(char for char in folded if not unicodedata.combining(char)).replace("ß", "ss")
    plain = re.sub(r"(\w)n't\b", r"\1 n't", plain).replace("ca n't", "can n't").replace("wo n't", "will n't")
    return " ".join(re.sub(r"[\"“”„»«*_`!?;,()\[\]。，！？、；]|[.:](?=\s|$)|'(?:m|re|ve|s|ll)\b", " ", plain).split())


def _is_number(word: str) -> bool:
    return any(char.isdigit() for char in word)


def _same_word(one: str, other: str) -> bool:
    """Whether two words are forms of one word. Numbers and short words are what they are."""
    if one == other:
        return True
    if one[:_STEM_MIN] != other[:_STEM_MIN] or min(len(one), len(other)) < _STEM_MIN:  # most pairs, hundreds to a statement
        return False
    if _is_number(one) or _is_number(other):
        return False
    same = 0
    for first, second in zip(one, other, strict=False):
        if first != second:
            break
        same += 1
    return one[same:] in _ENDINGS and other[same:] in _ENDINGS


def _alike(known: Sequence[str], words: Sequence[str]) -> tuple[str, ...]:
    """`words` with forms of known words written as those."""
    return tuple(next((held for held in known if _same_word(held, word)), word) for word in words)


def _matched(one: Sequence[str], other: Sequence[str]) -> int:
    rest = list(other)
    count = 0
    for word in one:
        if word in rest:
            rest.remove(word)
            count += 1
    return count
