"""A synthetic history of a person who works with agents in five languages: memories, conversations, proposals, deliveries.

It reads like real notes, so that pages can be judged with it. Everything is drawn from the lists below, deterministic for a
seed.
"""

import json
import random
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path

from vademecum.api import Vademecum
from vademecum.domain.query import Query
from vademecum_bench.generate import identity

#: Share of each language. Arabic is written from right to left, Japanese without spaces.
LANGUAGES: Mapping[str, float] = {"en": 0.55, "de": 0.15, "es": 0.12, "ar": 0.09, "ja": 0.09}
PROJECTS = ("shop", "garden-plan", "house", "thesis", "")
STATUSES = ("active",) * 44 + ("archived",) * 4 + ("disputed", "resolved")
#: Kind -> language -> (title, text): {a} is a thing, {b} another, {n} a number.
SAYINGS: Mapping[str, Mapping[str, tuple[str, str]]] = {
    "decision": {
        "en": (
            "{a} instead of {b}",
            "We use {a} instead of {b}, because it needs {n} minutes less a day and nobody has to watch it.",
        ),
        "de": ("{a} statt {b}", "Wir nehmen {a} statt {b}, weil das jeden Tag {n} Minuten spart und niemand zusehen muss."),
        "es": (
            "{a} en lugar de {b}",
            "Usamos {a} en lugar de {b}, porque ahorra {n} minutos al día y nadie tiene que vigilarlo.",
        ),
        "ar": ("{a} بدلاً من {b}", "نستخدم {a} بدلاً من {b} لأنه يوفر {n} دقيقة كل يوم ولا يحتاج إلى متابعة."),
        "ja": ("{b}より{a}", "{b}ではなく{a}を使う。毎日{n}分節約でき、見張る必要もない。"),
    },
    "fact": {
        "en": (
            "{a}: limit of {n}",
            "The {a} takes at most {n} entries; above that it drops the oldest, and {b} shows a warning.",
        ),
        "de": (
            "{a}: höchstens {n}",
            "{a} nimmt höchstens {n} Einträge; danach fällt der älteste weg, und {b} zeigt eine Warnung.",
        ),
        "es": ("{a}: límite de {n}", "{a} admite como máximo {n} entradas; después se pierde la más antigua y {b} avisa."),
        "ar": ("{a}: الحد {n}", "يقبل {a} حتى {n} إدخالاً، وبعد ذلك يحذف الأقدم ويظهر تحذير في {b}."),
        "ja": ("{a}の上限は{n}", "{a}は{n}件まで。超えると古いものから消え、{b}に警告が出る。"),
    },
    "preference": {
        "en": ("Short answers about {a}", "Answers about {a} should fit in {n} lines; details belong into {b}."),
        "de": ("Kurze Antworten zu {a}", "Antworten zu {a} sollen in {n} Zeilen passen; Einzelheiten gehören nach {b}."),
        "es": ("Respuestas breves sobre {a}", "Las respuestas sobre {a} deben caber en {n} líneas; los detalles van en {b}."),
        "ar": ("إجابات قصيرة عن {a}", "يجب أن تكون الإجابات عن {a} في {n} أسطر، والتفاصيل مكانها {b}."),
        "ja": ("{a}は短く答える", "{a}についての答えは{n}行まで。詳しいことは{b}に書く。"),
    },
    "lesson": {
        "en": (
            "Check {a} before {b}",
            "Changing {b} without looking at {a} first cost {n} hours. Look at the log, then change one thing at a time.",
        ),
        "de": (
            "Erst {a} prüfen, dann {b}",
            "{b} zu ändern, ohne vorher {a} anzusehen, hat {n} Stunden gekostet. Erst das Protokoll lesen.",
        ),
        "es": (
            "Revisar {a} antes de {b}",
            "Cambiar {b} sin mirar antes {a} costó {n} horas. Primero el registro, luego un cambio a la vez.",
        ),
        "ar": ("افحص {a} قبل {b}", "تغيير {b} دون النظر إلى {a} أولاً كلف {n} ساعات. اقرأ السجل أولاً."),
        "ja": ("{b}の前に{a}を確認", "{a}を見ずに{b}を変えて{n}時間を失った。まず記録を読むこと。"),
    },
    "task": {
        "en": (
            "Renew the {a}",
            "The {a} runs out in {n} days. Do it together with {b}.\n\n- [ ] ask for an offer\n- [ ] compare with last year",
        ),
        "de": ("{a} erneuern", "{a} läuft in {n} Tagen ab. Zusammen mit {b} erledigen."),
        "es": ("Renovar {a}", "{a} vence en {n} días. Hacerlo junto con {b}."),
        "ar": ("تجديد {a}", "ينتهي {a} بعد {n} يوماً. يُنجز مع {b}."),
        "ja": ("{a}を更新する", "{a}はあと{n}日で切れる。{b}と一緒に済ませる。"),
    },
}
THINGS: Mapping[str, Sequence[str]] = {
    "en": ("order queue", "mail relay", "backup disk", "price list", "test database", "login page", "heat pump", "water meter",
           "tax folder", "greenhouse timer", "invoice export", "search index", "photo archive",
           "bike insurance", "reading list", "build cache"),
    "de": ("Bestellliste", "Mailserver", "Sicherungsplatte", "Preisliste", "Testdatenbank", "Anmeldeseite", "Wärmepumpe", "Steuerordner"),
    "es": ("cola de pedidos", "servidor de correo", "lista de precios", "base de pruebas", "página de acceso", "bomba de calor"),
    "ar": ("قائمة الطلبات", "خادم البريد", "قائمة الأسعار", "قاعدة الاختبار", "صفحة الدخول", "عداد الماء"),
    "ja": ("注文キュー", "メールサーバー", "価格表", "テスト用データベース", "ログイン画面", "水道メーター"),
}  # fmt: skip
LONG = " and everything that was said about it on the way, so that nobody has to look for it in four places ever again"
TAGS = ("work", "home", "money", "later", "weekly")


class Life:
    """Memories and conversations up to `now`."""

    def __init__(self, now: datetime, seed: int = 1) -> None:
        self._now, self._chance = now, random.Random(seed)

    def write(self, home: Path, talk: Path, memories: int, sessions: int) -> None:
        """Write the files of memories and transcripts."""
        talk.mkdir(parents=True, exist_ok=True)
        for number in range(sessions):
            self._conversation(talk / f"talk-{number:05}.jsonl", number)
        titles: list[str] = []
        for number in range(memories):
            titles.append(self._memory(home, number, titles, sessions))

    def _said(self) -> tuple[str, str, str]:
        """Return kind, title and text."""
        language = self._chance.choices([*LANGUAGES], [*LANGUAGES.values()])[0]
        kind = self._chance.choice([*SAYINGS])
        title, body = SAYINGS[kind][language]
        first, second = self._chance.sample(THINGS[language], 2)
        values = {"a": first, "b": second, "n": self._chance.randrange(2, 400)}
        return kind, title.format(**values), body.format(**values)

    def _ago(self, days: float) -> datetime:
        return self._now - timedelta(days=days * self._chance.random() ** 2, hours=9)

    def _memory(self, home: Path, number: int, titles: Sequence[str], sessions: int) -> str:
        kind, said, body = self._said()
        title = f"{said[0].upper()}{said[1:]}{LONG if number % 97 == 0 else ''}"
        project, status = self._chance.choice(PROJECTS), self._chance.choice(STATUSES)
        at = self._ago(4 if number < 24 else 400)
        facts = {
            "id": identity(number),
            "kind": kind,
            "title": title,
            "status": "inbox" if number < 24 else status,
            "project": project,
        }
        facts |= {"tags": f"[{self._chance.choice(TAGS)}]"} if number % 3 == 0 else {}
        if sessions and number % 2 == 0:
            facts |= {
                "source": f"session://plain/talk-{number % sessions:05}",
                "source_span": "1",
                "source_interface": "claude-code",
            }
        if number < 24:
            facts |= {"mining_excerpt": f'"{body.splitlines()[0]}"', "mining_rationale": "a decision in the person's own words"}
        if titles and number % 4 == 0:
            body += "\n\nSee [[" + self._chance.choice(titles[-200:]) + "]]."
        stamps = f"created: {at:%Y-%m-%dT%H:%M:%SZ}\nupdated: {at:%Y-%m-%dT%H:%M:%SZ}\n"
        head = "".join(
            f'{name}: "{value}"\n' if name == "title" else f"{name}: {value}\n" for name, value in facts.items() if value
        )
        path = home / "personal" / kind / f"{number:05}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"---\n{head}{stamps}---\n\n{body}\n", encoding="utf-8")
        return title

    def _conversation(self, path: Path, number: int) -> None:
        at, lines = self._ago(300), []
        for turn in range(self._chance.choice((2, 4, 4, 6)) if number else 420):
            _, title, body = self._said()
            text = (f"{title}? " if turn else "") + body
            role = "user" if turn % 2 == 0 else "agent"
            lines.append({"role": role, "text": text, "time": f"{at + timedelta(minutes=turn):%Y-%m-%dT%H:%M:%SZ}"})
        path.write_text("".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines), encoding="utf-8")


def lived(memory: Vademecum, home: Path, talk: Path, *, memories: int, sessions: int) -> None:
    """Fill an empty memory in `home` with this history."""
    now = memory.now()
    Life(now).write(home, talk, memories, sessions)
    memory.maintenance.sync(quick=True)
    memory.maintenance.capture((str(talk),), mine=False)
    state, items = memory.context.state, memory.notes.list(60, status=("active",))
    for number, session in enumerate(memory.notes.list(6, source=("session",))):
        keys = [item.key for item in items[number * 3 : number * 3 + 3]]
        state.shown.record(session.key, keys, (session.updated or now) - timedelta(seconds=50))
        state.usage.note("told", keys, now)
        state.usage.note("used", keys[:1], now)
    for item in items[:12]:
        memory.recall.ask(Query(f"What about the {item.title}?"))
    for title in ("Kettle", "Where the spare key lies", "Water the lemon tree twice a week"):
        memory.notes.save("fact", title, f"{title}: noted while tidying up.", project="house")
    memory.notes.save("fact", "The spare key", "The spare key lies in the blue box.")
    memory.notes.save("fact", "Spare key", "The spare key lies in the red box.")
