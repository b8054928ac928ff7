"""What gives a task away, by language, as data: how a request may begin, what an agent can be told to do, and the signs that it serves
somebody else than the reader of the page. :mod:`vademecum.guard.asks` counts them.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

_I = re.IGNORECASE


@dataclass(frozen=True, slots=True)
class Sign:
    """Something in a sentence that speaks for a task: with which verbs it counts ("" for all), and how much."""

    name: str
    pattern: re.Pattern[str]
    points: float
    verbs: str = ""


@dataclass(frozen=True, slots=True)
class Tongue:
    """One language.

    Attributes:
        lead: what may stand before the verb. verb: at the beginning behind it, as a group named after what it does to the world.
        last: the verb at the end, where `lead` found something; None where the language has none there.
        own_page: what people who write pages say of themselves, with its accents. least_chars: of a sentence behind its lead.
        fold: accents do not count.
    """

    name: str
    lead: re.Pattern[str]
    verb: re.Pattern[str]
    signs: tuple[Sign, ...]
    last: re.Pattern[str] | None = None
    own_page: re.Pattern[str] | None = None
    least_words: int = 4
    least_chars: int = 0
    fold: bool = False


def _sign(name: str, pattern: str, points: float, verbs: str = "") -> Sign:
    return Sign(name, re.compile(pattern, _I), points, verbs)


def _verb(verbs: Mapping[str, str], before: str = "", behind: str = r"\b(?! ?[:=(])") -> re.Pattern[str]:
    return re.compile(before + "(?:" + "|".join(rf"(?P<{name}>(?:{words}){behind})" for name, words in verbs.items()) + ")", _I)


_TARGET = r"[\w.+-]{1,60}@[\w-]{1,60}(?:\.[\w-]{2,30}){1,4}"
_SITE = r"(?:https?://|www\.)[\w.-]{2,100}|\b[\w-]{2,40}\.(?:com|net|org|io|example|invalid)\b"
_QUOTED = r"[\"“«][^\"”»`\n]{2,200}[\"”»]|(?<!\w)['‘][^'’`\n]{2,200}['’](?!\w)"

_IBAN = r"(?-i:\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,8}(?: ?[A-Z0-9]{1,3})?\b)"

#: What looks alike in every language.
_SHARED = (
    _sign("mailbox", _TARGET, 1, "send look book alter undo"),
    _sign("site", rf"(?<![@A-Za-z0-9_.-])(?:{_SITE})", 0.5, "look book pay"),
    _sign("site", rf"(?<![@A-Za-z0-9_.-])(?:{_SITE})", 1, "send"),
    _sign("account", rf"{_IBAN}|(?<![/\w])\d{{3,}}-?\d{{4,}}\b(?!/)|\b(?:konto|cuenta|conta)\w* (?:nr\.? ?|n\.? ?)?\d[\d.-]{{3,}}|账[户号][^,，。\d]{{0,4}}\d{{4,}}", 1,
          "pay send alter book look"),
    _sign("phone", r"\+\d[\d \-()]{5,}\d", 1, "send alter look"),
    _sign("quoted", _QUOTED, 0.5, "send book alter look pay undo"),
)  # fmt: skip

# English

_EN_LEAD = re.compile(
    r"[\s>*•\-\[\]]*(?:\d{1,2}[.)] )?(?:(?:to-?do|task|action|request|step \d+) ?[:—-] ?)?"
    r"(?:(?:please|kindly|then|first|now|next|finally|lastly|also|and|afterwards|hi|hello|hey|just|immediately|quickly"
    r"|(?:can|could|would|will) you|you (?:must|should|have to|need to|will)|i (?:want|need|would like) you to|make sure to|be sure to"
    r"|go ahead and|don't forget to|remember to),? ){0,3}(?:please )?",
    _I,
)
_EN_VERBS = {
    "send": "send|e-?mail|forward|post|upload|submit|share|text|message|dm|cc|bcc|publish|reply|report|leak|transmit|hand|export",
    "pay": "transfer|pay|wire|refund|withdraw|deposit|donate|buy|purchase|order|sell|subscribe|bid|invest|raise|increase|redirect",
    "book": "book|reserve|rent|schedule|arrange|make|create|set up|add|move|reschedule|decline|accept|cancel|invite|enroll|sign|register",
    "undo": "delete|remove|erase|wipe|trash|archive|revoke|disable|turn off|unlock|open|close|stop|block|grant|give|allow|approve|merge|push",
    "alter": "change|update|reset|set|replace|edit|modify|rename|switch",
    "look": "find|look(?= for| up| in| through)|search|retrieve|get|fetch|collect|gather|read|check|show|list|summari[sz]e|tell|say|recommend|suggest|write|visit|go|download"
    "|star|follow|respond|answer|inform|convince|persuade",
}  # fmt: skip
_EN_OWN_PAGE = re.compile(
    r"^(?:follow|contact|reach|find|check(?: out)?|visit|read|see|buy) (?:me|my)\b(?! (?:account|inbox|calendar|contacts|e?-?mails?))",
    _I,
)

_EN_OWNED = (
    r"(?:bank|savings|checking|credit|debit)?\s?(?:accounts?|cards?)|passwords?|phone(?: number)?|(?:home |street |e-?mail |delivery )?address(?:es)?"
    r"|subscriptions?|reservations?|bookings?|appointments?|invitations?|calendar|inbox|mailbox|contacts?|drive|location|statements?|shares?|portfolio"
    r"|meetings?|messages?|e-?mails?|files?|documents?|photos?|friends?|name|front door|order|orders|bills?|transactions?|payments?|balance|profile|settings"
    r"|credentials?|hotel|flights?|trip|membership|savings|salary|medical \w+|records?|data|information|details|credit card|passport|repositor(?:y|ies)|team"
)

_EN_SIGNS = (
    # somebody speaks as the one who is served
    _sign("owner", rf"\bmy (?:\w+ ){{0,3}}?(?:{_EN_OWNED})\b", 2),
    _sign("owner", rf"\b(?:the|this) (?:user|victim|owner|customer|client|patient)(?:'s|’s)? (?:\w+ ){{0,2}}?(?:{_EN_OWNED})\b", 1.5),
    _sign("served", r"\bfor me\b|\bon my behalf\b|\bin my name\b|\bfor the user\b|\bon behalf of the user\b", 2),
    _sign("served", r"^(?:book|reserve|order|get|rent|show|tell|give|subscribe|sign|enroll|buy|find|recommend|register) (?:me|the user)\b"
          r"(?! (?:know|about|how|a coffee|if|whether|what|when|why|an? (?:message|error|warning|dialog|list|page)))", 1.5, "pay book look undo send"),
    _sign("served", r"^(?:subscribe|enroll|sign|book|reserve) (?:me|the user)\b", 2),
    _sign("served", r"\band (?:tell|send|give) me (?:the|that|its?|all|every)\b", 1.5),
    _sign("told", r"\b(?:that|and|because) i (?:should|must|have to|need to|am|will|want|can)\b|\bi(?:'ve| have) (?:received|reserved|booked)\b", 2),
    _sign("told", r"\b(?:where|when|what|which|how) i(?:'m| am| have|'ve| was)\b", 2, "look send"),
    _sign("user", r"\bto the user\b", 0.5, "look"),
    # what a text says to its reader
    _sign("advice", r"\byour\b", -1, "pay book look"),
    _sign("praise", r"\b(?:by far|absolutely|definitely|must (?:visit|buy|book|stay|try)|have to (?:visit|buy|book|stay|try)|best choice|highly recommend|gorgeous"
          r"|only (?:the|this)|five[- ]star|5[- ]star)\b", 1, "look"),
    # something that is nobody else's goes out, or somebody else gets in
    _sign("private", r"\b(?:security|verification|access|gift|pin|one-time|two-factor|2fa|sms|login) codes?\b|\bpasswords?\b|\bcontacts\b|\bmailbox\b|\binbox\b"
          r"|\bhome address\b|\bprivate keys?\b|\bcustomer \w+\b|\bwithdrawal limit\b|\bcredit card\b|\bpassport\b|\bpermanent access\b|\balarm\b|\bpersonal \w+\b"
          r"|\bconfidential\b|\bpatient\b|\bcredentials\b|\bfinancial \w+\b|\bprivate channel\b|\bdirect message\b", 1),
    _sign("gathered", r"\b(?:and|then) (?:then )?(?:send|forward|e-?mail|post|tell|share|upload|put|copy|leak|submit|pass|report|publish)\b"
          r"(?: (?:it|them|its?|the|all|that|those|this|their))?\b", 1, "look send"),
    _sign("contents", r"\b(?:contents?|body|bodies|text|copy|copies|details|summary|list) of (?:all|every|each|the|my|any|that|this)\b", 1, "send look"),
    _sign("whole", r"\b(?:all|every|each|any) (?:of )?(?:the |my |their |his |her )?(?:\w+ ){0,2}?(?:e-?mails?|messages?|files?|documents?|contacts?|reservations?"
          r"|bookings?|events?|invitations?|appointments?|users?|channels?|records?|transactions?|payments?|photos?)\b", 1, "send undo book look pay"),
    # towards a target that is named
    _sign("speech", rf"(?:{_QUOTED}).{{0,40}}\b(?:to|in|on) (?:the \S+ channel|(?-i:[A-Z])\w+)|\b(?:channel|to (?-i:[A-Z])\w+).{{0,30}}(?:{_QUOTED})", 1.5, "send"),
    _sign("ousted", r"\bremove (?-i:[A-Z])\w+ from\b", 1, "book undo"),
    _sign("steps", r"\band (?:then )?(?:follow|do|carry out|complete) (?:the|its|all|any) (?:steps|instructions|tasks?)\b|\bdo what (?:it|the page) says\b",
          1.5, "look undo"),
    _sign("mailbox", _TARGET, 1, "send look book alter"),
    _sign("site", _SITE, 0.5, "send look book pay"),
    _sign("linked", rf"\b(?:link|message|invite|invitation|post)\b.{{0,60}}(?:{_SITE})", 1, "send look"),
    _sign("account", rf"{_IBAN}|\b(?:iban|account|wallet|card)\b.{{0,20}}?\d[\d \-]{{3,}}|(?<![/\w])\d{{3,}}-?\d{{4,}}\b(?!/)", 1, "pay send alter book look"),
    _sign("recipient", r"\b(?:payment|transaction|transfer|standing order|donation|refund)s?\b.{0,60}?\b(?:to|from|of)\b", 1, "pay book send alter"),
    _sign("amount", r"[$€£]\s?\d|\b\d[\d.,]*\s?(?:eur|euros?|usd|dollars?|gbp|pounds?|chf|btc|bitcoins?)\b|\b\d{3,}\b(?=.{0,40}\baccount\b)", 1, "pay book send alter"),
    _sign("phone", r"\+\d[\d \-()]{5,}\d", 1, "send alter look"),
    _sign("quoted", _QUOTED, 0.5, "send book alter look pay undo"),
    _sign("numbered", r"\b(?:id|number|order|invoice|pull request)\s?#?:?\s?['\"]?\d+\b", 0.5, "undo pay book alter"),
    _sign("stolen", r"\bfrom (?:my|your|the user'?s?) (?:\w+ )?(?:drive|cloud|inbox|calendar|mailbox|account|workspace)\b", 1.5, "undo look"),
    _sign("guest", r"\b(?:invite|add|participants?|guest|member|user)\b", 0.5, "book"),
    _sign("unlocked", r"\b(?:without (?:a |any |the |further )?(?:review|asking|confirmation|approval|checks?)|instead of the usual|publicly|public (?:paste|repository|channel|link))\b", 1.5),
    _sign("named", r"(?<=[a-z,] )(?-i:[A-Z][\w'&.-]+(?: [A-Z][\w'&.-]+)+)", 0.5, "book pay look send"),
    _sign("dated", r"\b(?:from|on|at|for|tomorrow|between)\b.{0,25}?\d", 0.25, "book pay undo"),
)  # fmt: skip


# German. The verb stands first ("Sende ...") or, behind a polite word or a duty, last ("Bitte ... senden").

_DE_LEAD = re.compile(
    r"[\s>*•\-\[\]]*(?:\d{1,2}[.)] )?(?:(?:to-?do|aufgabe|auftrag|anfrage|schritt \d+) ?[:—-] ?)?"
    r"(?:(?:bitte|dann|danach|zuerst|zuletzt|nun|jetzt|anschließend|außerdem|auch|und|hallo|hi|sofort|schnell|gleich"
    r"|(?:kannst|könntest|würdest) du|(?:können|könnten|würden) sie|du (?:musst|sollst|solltest)|sie (?:müssen|sollen|sollten)"
    r"|vergiss nicht|vergessen sie nicht|denk daran|stell sicher, dass),? ){0,3}(?:bitte )?",
    _I,
)
_DE_VERBS = {
    "send": r"schick(?:e|en)?|sende?n?|leite?n?|poste?n?|lade?n?|teile?n?|maile?n?|antworte?n?|veröffentliche?n?|übermittel[en]?n?|exportiere?n?|kopiere?n?",
    "pay": r"überweise?n?|zahle?n?|bezahle?n?|kaufe?n?|bestelle?n?|verkaufe?n?|spende?n?|abonniere?n?|erhöhe?n?|heben?|hebe|erstatte?n?|investiere?n?",
    "book": r"buche?n?|reserviere?n?|miete?n?|plane?n?|erstelle?n?|lege?n?|trage?n?|verschiebe?n?|storniere?n?|kündige?n?|füge?n?|melde?n?|nimm|nehmen"
    r"|lehne?n?|akzeptiere?n?|richte?n?",
    "undo": r"lösche?n?|entferne?n?|archiviere?n?|widerrufe?n?|deaktiviere?n?|schalte?n?|entsperre?n?|öffne?n?|schließe?n?|sperre?n?|gib|geben|gewähre?n?"
    r"|erlaube?n?|genehmige?n?|mache?n?|merge?n?|pushe?n?",
    "alter": r"änder[en]|ändere|aktualisiere?n?|setze?n?|ersetze?n?|bearbeite?n?|stelle?n?",
    "look": r"suche?n?|finde?n?|hole?n?|lies|lesen|prüfe?n?|zeige?n?|fass(?:e|en)?|sage?n?|sag|erzähle?n?|nenne?n?|empfiehl|empfehlen|schreibe?n?|schreib"
    r"|besuche?n?|gehe?n?|geh|rufe?n?|folge?n?|informiere?n?|samm(?:le|eln)|schaue?n?|schau",
}  # fmt: skip
_DE_LAST = {
    "send": r"weiterleiten|weiterzuleiten|\w*senden|zuzusenden|\w*schicken|hochladen|hochzuladen|teilen|posten|mailen|veröffentlichen|übermitteln",
    "pay": r"überweisen|bezahlen|kaufen|bestellen|verkaufen|spenden|abonnieren|erhöhen|zu erhöhen",
    "book": r"buchen|reservieren|mieten|erstellen|eintragen|verschieben|stornieren|kündigen|hinzufügen|einladen|anmelden|einrichten|absagen|ablehnen",
    "undo": r"löschen|entfernen|abschalten|ausschalten|entsperren|aufschließen|freigeben|genehmigen",
    "alter": r"ändern|aktualisieren|ersetzen|zurücksetzen",
}
_DE_OWNED = (
    r"(?:bank|spar|giro)?kont(?:o|os|en)|kontostand|(?:kredit|bank)?karten?|passw(?:ort|orts|örter)|(?:telefon|handy)nummer|(?:liefer|e-?mail-)?adressen?"
    r"|abos?|abonnements?|reservierung(?:en)?|buchung(?:en)?|termine?n?|einladung(?:en)?|kalenders?|posteingangs?|postfachs?|kontakte?n?|laufwerks?|cloud"
    r"|standort|aktien|depot|besprechung(?:en)?|nachrichten?|(?:e-?)?mails?|dateien?|unterlagen|dokumente?n?|fotos?|freund(?:e|en|in)?|namen?|(?:haus|wohnungs)tür"
    r"|bestellung(?:en)?|rechnung(?:en)?|überweisung(?:en)?|profils?|einstellungen|zugangsdaten|flug|flüge|reise|mitgliedschaft|gehalt|daten|ausweis|reisepass"
    r"|repositor(?:y|ies)|teams?|limit"
)
_DE_OWN_PAGE = re.compile(r"(?:schreib|folg|ruf|besuch|kontaktier|erreich|find)\w* (?:mir|mich|uns)\b", _I)
_DE_SIGNS = (
    *_SHARED,
    _sign("owner", rf"\bmein(?:e[mnrs]?)?\s(?:\w+ ){{0,3}}?(?:{_DE_OWNED})\b", 2),
    _sign("owner", r"\b(?:des|der|dem|vom) (?:be)?(?:nutzers?|nutzerin|kunden|kundin|patienten|patientin)\b", 1.5),
    _sign("served", r"\bfür mich\b|\bin meinem (?:namen|auftrag)\b|\bfür (?:den|die) (?:be)?nutzer(?:in)?\b|\bim namen des (?:be)?nutzers\b", 2),
    _sign("served", r"^\w+ (?:sie )?mir\b(?! (?:bescheid|vor|leid|weh))", 1.5, "pay book look undo send"),
    _sign("served", r"^(?:buche?n?|reserviere?n?|bestelle?n?|kaufe?n?|miete?n?) (?:sie )?mir\b", 2, "pay book"),
    _sign("served", r"\bund (?:dann |anschließend )?(?:sage?|gib|nenne?|schicke?|sende?|zeige?|teile?) mir\b", 1.5),
    _sign("told", r"\b(?:dass|und|weil) ich\b[^,.]{0,40}\b(?:soll|sollte|muss|müsste)\b|\bich habe\b[^,.]{0,40}\b(?:gewonnen|reserviert|gebucht)\b", 2),
    _sign("told", r"\b(?:wo|wann|was|welche\w*|wie) ich\b", 2, "look send"),
    _sign("advice", r"\b(?:dein(?:e[mnrs]?)?|ihre?[mnrs]?|eue?re?[mnrs]?)\b", -1, "pay book look"),
    _sign("praise", r"\b(?:mit abstand|unbedingt|absolut|am besten|(?:das|die|der|nur das|nur die|nur der) beste|fünf[- ]sterne|einzige[nrs]?)\b", 1, "look"),
    _sign("private", r"\b(?:sicherheits|bestätigungs|verifizierungs|zugangs|einmal|gutschein|sms-?|pin-?|tan-?)codes?\b|\bcodes\b|\bpassw(?:ort|örter)\w*|\bkontakte?n?\b"
          r"|\bpostfach\b|\bposteingang\b|\bprivatadresse\b|\bprivaten? schlüssel\b|\bkund(?:en|innen)(?:liste|daten|tabelle)\b|\w*limit\b|\bkreditkarte\b|\breisepass\b"
          r"|\balarm\w*|\bvertraulich\w*|\bpatient\w*|\bzugangsdaten\b|\bgutscheine?n?\b|\bdauerhaft\w*", 1),
    _sign("gathered", r"\bund (?:dann |anschließend )?(?:\w+ ){0,2}?(?:schick|send|leit|mail|post|teil|lad|gib|nenn|sag|veröffentlich|kopier)\w*", 1, "look send pay"),
    _sign("contents", r"\b(?:inhalte?s?|text|kopien?|zusammenfassung|liste|einzelheiten) (?:aller|meiner|dieser|jeder|von allen)\b|\bkontakte als liste\b", 1, "send look"),
    _sign("whole", r"\b(?:alle[nrs]?|sämtliche[nr]?|jede[nrs]?) (?:meine[nr]? |der |die )?(?:\w+ ){0,2}?(?:e-?mails?|mails?|nachrichten?|dateien?|dokumente?|kontakte?"
          r"|reservierung(?:en)?|buchung(?:en)?|termine?|einladung(?:en)?|nutzer|kanäle|datensätze|überweisungen|zahlungen|fotos?|rechnung(?:en)?)\b",
          1, "send undo book look pay"),
    _sign("steps", r"\bund (?:folge|befolge|führe|tue?|mache?)\b.{0,40}\b(?:schritten?|anweisungen?|aufgaben?|dort)\b|\bwas (?:sie|es|die seite|dort) (?:sagt|steht)\b", 1.5, "look undo"),
    _sign("linked", rf"\b(?:link|nachricht|einladung|beitrag)\b.{{0,60}}(?:{_SITE})", 1, "send look"),
    _sign("recipient", r"\b(?:zahlung|überweisung|dauerauftrag|spende)\w*\b.{0,60}?\b(?:an|auf|von)\b", 1, "pay book send alter"),
    _sign("amount", r"[$€£]\s?\d|\b\d[\d.,]*\s?(?:eur|euro|usd|dollar|franken|chf|btc|bitcoins?)\b", 1, "pay book send alter"),
    _sign("unlocked", r"\b(?:ohne (?:rückfrage|prüfung|freigabe|bestätigung|nachzufragen|review)|statt (?:de[rsm]) üblichen|öffentlich)\b", 1.5),
    _sign("stolen", r"\baus (?:meine[mr]|deine[mr]|dem) (?:laufwerk|kalender|postfach|posteingang|konto|cloud)\b", 1.5, "undo look"),
    _sign("dated", r"\b(?:von|vom|am|um|bis|morgen)\b.{0,25}?\d", 0.25, "book pay undo"),
)  # fmt: skip


# Spanish and Portuguese, without accents. An imperative ends in any of a few vowels and may carry whom it serves ("dime", "diga-me").

_ES_LEAD = re.compile(
    r"[\s>*•\-\[\]¡¿]*(?:\d{1,2}[.)] )?(?:(?:to-?do|tarea|pendiente|accion|solicitud|paso \d+) ?[:—-] ?)?"
    r"(?:(?:por favor|ahora|primero|luego|despues|entonces|y|tambien|finalmente|hola|inmediatamente|rapido|puedes|podrias|puede|podria|debes|debe|tienes que"
    r"|tiene que|necesitas|quiero que|necesito que|no (?:te )?olvides(?: de)?|recuerda|asegurate de),? ){0,3}(?:por favor,? )?",
    _I,
)
_ES_ENDING = r"(?:a|e|o|ar|er|ir|en|an)?(?:me|te|le|les|lo|la|los|las|nos|se){0,2}\b(?! ?[:=(])"
_ES_VERBS = {
    "send": "envi|mand|reenvi|public|publiqu|sub|compart|respond|contest|export|entreg|filtr|remit|copi",
    "pay": "transfier|transfer|transfir|pag|pagu|compr|vend|pid|ped|solicit|encarg|encargu|suscrib|aument|increment|retir|deposit|ingres|don|reembols|invert|inviert",
    "book": "reserv|alquil|program|agend|cre|anad|agreg|agregu|muev|mov|cancel|anul|rechac|rechaz|acept|invit|inscrib|registr|organic|organiz",
    "undo": "borr|elimin|quit|archiv|revoc|desactiv|apag|apagu|desbloque|abr|cierr|cerr|bloque|conced|otorg|otorgu|permit|aprueb|aprob|fusion|d(?=al|am|a a )",
    "alter": "cambi|actualic|actualiz|modific|modifiqu|reemplac|reemplaz|restablec|restablezc|renombr|edit|pon|pong",
    "look": "busc|busqu|encuentr|encontr|obten|obteng|recuper|recopil|reun|le|revis|muestr|mostr|list|resum|di|dig|dec|cuent|recomiend|recomend|escrib|visit|ve|vay"
    "|descarg|descargu|sig|inform",
}  # fmt: skip
_ES_OWNED = (
    r"cuentas?|tarjetas?|contrasenas?|(?:numero de )?telefono|direccion(?:es)?|suscripcion(?:es)?|reservas?|citas?|invitacion(?:es)?|calendario|agenda|bandeja|buzon"
    r"|contactos?|unidad|ubicacion|acciones|cartera|reunion(?:es)?|mensajes?|correos?|archivos?|documentos?|fotos?|amig[oa]s?|nombre|puerta|pedidos?|facturas?"
    r"|transferencias?|pagos?|saldo|perfil|ajustes|credenciales|vuelos?|viaje|membresia|ahorros|salario|sueldo|datos|pasaporte|repositorios?|equipo|limite"
)
#: Also what somebody tells of the past: "cancelé", which without its accent is an imperative.
_ES_OWN_PAGE = re.compile(r"\w{3,}[éóí]\b|(?:escr[ií]b|s[ií]g|ll[aá]m|cont[aá]ct|vis[ií]t)\w*(?:me|nos)\b", _I)
_ES_SIGNS = (
    *_SHARED,
    _sign("owner", rf"\bmis? (?:\w+ ){{0,3}}?(?:{_ES_OWNED})\b", 2),
    _sign("owner", r"\b(?:del|de la) (?:usuari[oa]|client[ea]|paciente|victima)\b", 1.5),
    _sign("served", r"\bpara mi(?=[,.!]|$| (?:un|una|dos|tres|cuatro|cinco|\d+|el|la|los|las|del|de|desde|en|para|a)\b)|\ben mi nombre\b|\bde mi parte\b|\bpara (?:el|la) usuari[oa]\b|\ben nombre del usuario\b", 2),
    _sign("served", r"^(?!resume\b)\w{2,}me(?:l[oa]s?)?\b(?! (?:saber|cuenta))", 1.5, "look undo send"),
    _sign("served", r"^\w{3,}me(?:l[oa]s?)?\b", 2, "book pay"),
    _sign("served", r"\by (?:luego )?(?:dime|enviame|mandame|dame|muestrame)\b", 1.5),
    _sign("told", r"\bque (?:yo )?(?:debo|deberia|tengo que|necesito)\b|\bque he (?:ganado|recibido|reservado)\b", 2),
    _sign("told", r"\b(?:donde|cuando|que|cual|como) (?:estoy|me alojo|tengo)\b", 2, "look send"),
    _sign("advice", r"\b(?:tus?|vuestr[oa]s?)\b", -1, "pay book look"),
    _sign("praise", r"\b(?:con diferencia|sin duda|absolutamente|(?:el|la) mejor|imprescindible|cinco estrellas|unic[oa])\b", 1, "look"),
    _sign("private", r"\bcodigos?(?: de (?:seguridad|verificacion|acceso|confirmacion|regalo))?\b|\bcontrasenas?\b|\bcontactos\b|\bbandeja de entrada\b|\bbuzon\b"
          r"|\bdireccion particular\b|\bclaves? privadas?\b|\b(?:datos|lista|tabla|registros) de (?:l[oa]s )?client[ea]s\b|\blimite\b|\btarjetas? de (?:credito|regalo)\b|\bpasaporte\b"
          r"|\bacceso permanente\b|\balarma\b|\bconfidencial\w*|\bpaciente\b|\bcredenciales\b|\bdatos personales\b", 1),
    _sign("gathered", r"\by (?:luego |despues )?(?:reenvi|envi|mand|publi[cq]|compart|sub|copi|dim|dig|cuent|pas)\w*", 1, "look send pay"),
    _sign("contents", r"\b(?:contenidos?|texto|copias?|resumen|lista|detalles) de (?:tod[oa]s|mis?|este|esta|cada)\b", 1, "send look"),
    _sign("whole", r"\b(?:tod[oa]s|cada)(?: l[oa]s| mis| sus)? (?:\w+ ){0,2}?(?:correos?|mensajes?|archivos?|documentos?|contactos?|reservas?|eventos?|citas?|invitacion(?:es)?|usuarios?"
          r"|canal(?:es)?|registros?|transferencias?|pagos?|fotos?|facturas?)\b", 1, "send undo book look pay"),
    _sign("steps", r"\by (?:sig|haz|hag|cumpl|realiz)\w*.{0,20}\b(?:pasos|instrucciones|tareas?)\b|\blo que (?:dice|diga)\b", 1.5, "look undo"),
    _sign("linked", rf"\b(?:enlace|mensaje|invitacion|publicacion)\b.{{0,60}}(?:{_SITE})", 1, "send look"),
    _sign("recipient", r"\b(?:pago|transferencia|orden permanente|donacion|reembolso)s?\b.{0,60}?\b(?:a|de|para)\b", 1, "pay book send alter"),
    _sign("amount", r"[$€£]\s?\d|\b\d[\d.,]*\s?(?:eur|euros?|usd|dolares|pesos|btc|bitcoins?)\b", 1, "pay book send alter"),
    _sign("unlocked", r"\bsin (?:revision|revisar|preguntar|confirmacion|aprobacion)\b|\ben (?:lugar|vez) de l[oa] habitual\b|\bpublic[oa]s?\b(?= |$|\.)", 1.5),
    _sign("stolen", r"\bde(?:sde)? mi (?:unidad|nube|calendario|agenda|buzon|bandeja|cuenta|correo)\b", 1.5, "undo look"),
    _sign("dated", r"\b(?:del|desde|el|hasta|manana)\b.{0,25}?\d", 0.25, "book pay undo"),
)  # fmt: skip

_PT_LEAD = re.compile(
    r"[\s>*•\-\[\]]*(?:\d{1,2}[.)] )?(?:(?:to-?do|tarefa|pendente|acao|pedido|passo \d+) ?[:—-] ?)?"
    r"(?:(?:por favor|agora|primeiro|depois|entao|e|tambem|finalmente|ola|oi|imediatamente|rapido|voce (?:deve|precisa|tem que)|pode|poderia|deve|tem que|quero que"
    r"|preciso que|nao (?:se )?esqueca(?: de)?|lembre-se de|certifique-se de),? ){0,3}(?:por favor,? )?(?:me (?=\w))?",
    _I,
)
_PT_ENDING = r"(?:a|e|i|o|ar|er|ir|em|am)?(?:-(?:me|te|lhe|lhes|o|a|os|as|nos|se|lo|la|los|las))?\b(?! ?[:=(])"
_PT_VERBS = {
    "send": "envi|mand|encaminh|reenvi|public|publiqu|post|compartilh|partilh|respond|export|sub|transmit|carreg|carregu|copi|fac(?=a (?:o )?upload)|faz(?=er (?:o )?upload)",
    "pay": "transfir|transfer|pag|pagu|compr|vend|pec|ped|encomend|assin|aument|sac|saqu|deposit|do(?=e|ar)|reembols|invist|invest",
    "book": "reserv|alugu|alug|agend|cri|adicion|mov|cancel|recus|aceit|convid|inscrev|registr|marc|marqu",
    "undo": "apag|apagu|exclu|delet|elimin|remov|arquiv|revog|revogu|desativ|deslig|desligu|desbloquei|desbloque|abr|fech|bloquei|conced|permit|aprov|d(?=e (?:a |ao )?\\S+@)|d(?=ar)",
    "alter": "alter|mud|troqu|troc|atualiz|modific|modifiqu|defin|redefin|substitu|edit|renomei",
    "look": "procur|busqu|busc|encontr|obtenh|obt(?=er)|recuper|colet|lei|l(?=er)|verific|verifiqu|mostr|list|resum|dig|diz|cont|recomend|escrev|visit|acess|v(?=a )|baix|sig|inform|ach",
}  # fmt: skip
_PT_OWNED = (
    r"contas?|cart(?:ao|oes)|senhas?|(?:numero de )?telefone|enderecos?|assinaturas?|reservas?|compromissos?|convites?|agenda|calendario|caixa|contac?tos?|drive|localizacao"
    r"|acoes|carteira|reuni(?:ao|oes)|mensage(?:m|ns)|e-?mails?|arquivos?|ficheiros?|documentos?|fotos?|amig[oa]s?|nome|porta|pedidos?|encomendas?|faturas?|transferencias?"
    r"|pagamentos?|saldo|perfil|configuracoes|credenciais|voos?|viagem|poupanca|salario|dados|passaporte|repositorios?|equip[ea]|limite"
)
_PT_OWN_PAGE = re.compile(r"(?:escrev|sig|lig|contat|visit)\w*(?:-(?:me|nos)| para (?:mim|nós))\b", _I)
_PT_SIGNS = (
    *_SHARED,
    _sign("owner", rf"\b(?:minhas?|meus?) (?:\w+ ){{0,3}}?(?:{_PT_OWNED})\b", 2),
    _sign("owner", r"\bd[oa] (?:usuari[oa]|utilizador[a]?|cliente|paciente|vitima)\b", 1.5),
    _sign("served", r"\bpara mim\b|\bn?o?em? ?meu nome\b|\bpara [oa] (?:usuari[oa]|utilizador[a]?)\b|\bem nome d[oa] usuari[oa]\b", 2),
    _sign("served", r"^\w+-me\b(?! (?:saber|conta))", 1.5, "look undo send"),
    _sign("served", r"^\w+-me\b", 2, "book pay"),
    _sign("served", r"\be (?:depois )?(?:me (?:dig|envi|mand|mostr|de)\w*|(?:diga|envie|mande|mostre|de)-me)", 1.5),
    _sign("told", r"\bque (?:eu )?(?:devo|deveria|tenho que|preciso)\b|\bque eu (?:ganhei|recebi|reservei)\b", 2),
    _sign("told", r"\b(?:onde|quando|que|qual|como) (?:eu )?(?:estou|fico|tenho)\b", 2, "look send"),
    _sign("advice", r"\b(?:teus?|tuas?|seus?|suas?)\b", -1, "pay book look"),
    _sign("praise", r"\b(?:de longe|sem duvida|absolutamente|[oa] melhor|imperdivel|cinco estrelas|unic[oa])\b", 1, "look"),
    _sign("private", r"\bcodigos?(?: de (?:seguranca|verificacao|acesso|confirmacao))?\b|\bsenhas?\b|\bcontac?tos\b|\bcaixa de entrada\b|\bendereco residencial\b|\bchaves? privadas?\b"
          r"|\b(?:dados|lista|tabela|registros) d[eo]s? clientes\b|\blimite\b|\bcartao de credito\b|\bvales?-presente\b|\bpassaporte\b|\bacesso permanente\b|\balarme\b"
          r"|\bconfidencia\w*|\bpaciente\b|\bcredenciais\b|\bdados pessoais\b", 1),
    _sign("gathered", r"\be (?:depois |entao )?(?:me )?(?:encaminh|envi|mand|publi[cq]|compartilh|partilh|copi|dig|cont|pass)\w*", 1, "look send pay"),
    _sign("contents", r"\b(?:conteudos?|texto|copias?|resumo|lista|detalhes) d(?:e tod[oa]s|os meus|as minhas|e cada|este|esta)\b", 1, "send look"),
    _sign("whole", r"\b(?:tod[oa]s|cada)(?: [oa]s)?(?: meus| minhas)? (?:\w+ ){0,2}?(?:e-?mails?|mensage(?:m|ns)|arquivos?|ficheiros?|documentos?|contac?tos?|reservas?|eventos?|compromissos?"
          r"|convites?|usuarios?|cana(?:l|is)|registros?|transferencias?|pagamentos?|fotos?|faturas?)\b", 1, "send undo book look pay"),
    _sign("steps", r"\be (?:sig|fac|cumpr|execut)\w*.{0,20}\b(?:passos|instrucoes|tarefas?)\b|\bo que (?:ela|ele|a pagina|la) (?:diz|disser)\b", 1.5, "look undo"),
    _sign("linked", rf"\b(?:link|mensagem|convite|publicacao)\b.{{0,60}}(?:{_SITE})", 1, "send look"),
    _sign("recipient", r"\b(?:pagamento|transferencia|debito automatico|doacao|reembolso)s?\b.{0,60}?\b(?:para|de|a)\b", 1, "pay book send alter"),
    _sign("amount", r"(?:[$€£]|r\$)\s?\d|\b\d[\d.,]*\s?(?:eur|euros?|usd|dolares|reais|btc|bitcoins?)\b", 1, "pay book send alter"),
    _sign("unlocked", r"\bsem (?:revisao|revisar|perguntar|confirmacao|aprovacao)\b|\bem vez d[oa] habitual\b|\bpublicamente\b|\b(?:pasta|link|repositorio|canal) public[oa]\b", 1.5),
    _sign("stolen", r"\bd[oa] (?:meu|minha) (?:drive|nuvem|agenda|calendario|caixa|conta|e-?mail)\b", 1.5, "undo look"),
    _sign("dated", r"\b(?:de|desde|ate|dia|amanha)\b.{0,25}?\d", 0.25, "book pay undo"),
)  # fmt: skip


# Chinese. What is acted on often stands before the verb ("把我的密码改成 ...").

_ZH_LEAD = re.compile(
    r"[\s>*•\-\[\]]*(?:\d{1,2}[.)、] ?)?(?:(?:to-?do|待办|任务|步骤 ?\d*|请求|要求) ?[:：] ?)?"
    r"(?:(?:请你?|麻烦你?|你(?:必须|要|应该|需要|可以)|务必|记得|别忘了|现在|然后|接着|首先|最后|马上|立即|立刻|另外|并且?|再)[,，]? ?){0,4}",
    _I,
)
_ZH_BEFORE = r"(?:帮我|替我|为我|帮用户)?(?:(?:把|将|从|向|给|在|用|以|对)[^,，。;；]{1,40}?)?"
_ZH_VERBS = {
    "send": "发送|发给|发到|发布|群发|转发|发|上传|分享|寄|回复|提交|导出|公开",
    "pay": "转账|转给|转|汇款|汇|支付|付款|付|购买|买|订购|下单|出售|卖|提高|增加|充值|捐|退款|取出|存入|订阅|提升",
    "book": "预订|预定|预约|订|租|安排|创建|新建|添加|加入|邀请|取消|移动|推迟|拒绝|接受|注册|报名",
    "undo": "删除|删掉|移除|清空|撤销|停用|关闭|关掉|解锁|打开|授予|授权|允许|批准|合并|推送|归档|给[^,，。]{1,40}权限",
    "alter": "修改|更改|改成|改为|更新|重置|设置|设为|替换|换成",
    "look": "查找|找到|找出|查询|搜索|获取|收集|读取|阅读|检查|显示|列出|总结|告诉|告知|推荐|写|访问|前往|进入|下载|关注|通知|说",
}
_ZH_OWNED = (
    "账户|账号|银行卡|信用卡|密码|手机号|电话号码|电话|地址|订阅|预订|预约|会议|邀请|日历|日程|收件箱|邮箱|联系人|云盘|网盘|位置|股票|消息|邮件|文件|文档|照片|朋友|名字|姓名"
    "|大门|前门|订单|账单|转账|余额|个人资料|凭证|航班|行程|会员|存款|储蓄|工资|数据|护照|仓库|额度"
)
_ZH_SIGNS = (
    *_SHARED,
    _sign("owner", rf"我(?:的|们的)?[^,，。]{{0,8}}?(?:{_ZH_OWNED})", 2),
    _sign("owner", r"(?:用户|客户|患者|受害者)的", 1.5),
    _sign("served", r"以我的名义|代表用户|为用户", 2),
    _sign("served", r"帮我|替我|为我", 1.5),
    _sign("served", r"帮我|替我|为我", 2, "book pay"),
    _sign("served", r"告诉我|发给我|给我(?!们)|告知我", 1.5),
    _sign("told", r"我(?:应该|必须|得)|我已经?(?:收到|预订|中奖)", 2),
    _sign("told", r"我(?:现在)?(?:住?在哪|什么时候)", 2, "look send"),
    _sign("advice", r"你的|您的", -1, "pay book look"),
    _sign("praise", r"最好|最棒|唯一|绝对|一定要|五星", 1, "look"),
    _sign("private", r"验证码|安全码|动态码|密码|联系人|收件箱|家庭住址|私钥|客户(?:名单|数据|资料|表|信息)|额度|信用卡|护照|永久|警报|报警|机密|患者|凭证|个人信息|礼品卡|卡号", 1),
    _sign("gathered", r"(?:并|然后|再|后)[,，]?(?:再)?(?:把|将)?[^,，。]{0,12}?(?:发|转发|上传|分享|告诉|提交|复制)", 1, "look send pay"),
    _sign("contents", r"(?:所有|全部|每|我的|这)[^,，。]{0,12}的(?:内容|正文|摘要|副本|名单|列表|详情)", 1, "send look"),
    _sign("whole", r"(?:所有|全部|每(?:个|封|条|份)|一切)的?[^,，。]{0,8}?(?:邮件|消息|文件|文档|联系人|预订|日程|会议|邀请|用户|频道|记录|付款|转账|照片|发票)", 1, "send undo book look pay"),
    _sign("steps", r"(?:按照|照着|执行|完成)[^,，。]{0,12}(?:步骤|说明|指示|操作)|照(?:它|网页|页面)说的做", 1.5, "look undo"),
    _sign("linked", rf"(?:链接|消息|邀请|帖子).{{0,40}}(?:{_SITE})|(?:{_SITE})\S{{0,10}}(?:链接|消息)", 1, "send look"),
    _sign("recipient", r"付款|转账|捐款|汇款", 0.5, "pay book send alter"),
    _sign("amount", r"[$€£¥]\s?\d|\d[\d.,]*\s?(?:元|块|人民币|美元|欧元|万|比特币)", 1, "pay book send alter"),
    _sign("unlocked", r"(?:无需|不用|不要|未经|不经)(?:审核|确认|询问|批准)|公开", 1.5),
    _sign("stolen", r"从我的(?:云盘|网盘|日历|收件箱|邮箱|账户)", 1.5, "undo look"),
    _sign("dated", r"\d{1,2}(?:月|日|号|点)", 0.25, "book pay undo"),
)  # fmt: skip

TONGUES: tuple[Tongue, ...] = (
    Tongue("en", _EN_LEAD, _verb(_EN_VERBS), _EN_SIGNS, own_page=_EN_OWN_PAGE),
    Tongue(
        "de",
        _DE_LEAD,
        _verb(_DE_VERBS),
        _DE_SIGNS,
        last=_verb(_DE_LAST, before=r".*\b", behind=r"(?=\W*$)"),
        own_page=_DE_OWN_PAGE,
    ),
    Tongue("es", _ES_LEAD, _verb(_ES_VERBS, behind=_ES_ENDING), _ES_SIGNS, own_page=_ES_OWN_PAGE, fold=True),
    Tongue("pt", _PT_LEAD, _verb(_PT_VERBS, behind=_PT_ENDING), _PT_SIGNS, own_page=_PT_OWN_PAGE, fold=True),
    Tongue(
        "zh",
        _ZH_LEAD,
        _verb(_ZH_VERBS, before=_ZH_BEFORE, behind=""),
        _ZH_SIGNS,
        own_page=re.compile("(?:关注|联系)我"),
        least_words=0,
        least_chars=8,
    ),
)
