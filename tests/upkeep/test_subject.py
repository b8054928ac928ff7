"""Whether two statements are about one thing, and that a change told in other words replaces what it takes up."""

import pytest

from vademecum.capture.judge import tells_change
from vademecum.upkeep.statements import compare
from vademecum.upkeep.subject import beginnings, fields_of, log_odds, of_another, rarity, shared, tie_of, words_of
from vademecum.upkeep.successor import WEIGHTS, evidence, takes_place


def test_rarity():
    """A name is rarer than a word of everyday; a word that no sentence holds is the rarest."""
    assert rarity("zyxwvut") == rarity("qqqqqq") > rarity("team") > 0


def test_words_of():
    """Words without case and accents; Chinese by every two characters."""
    assert words_of("Die Bücher, die BÜCHER!") == ("die", "bucher")
    assert words_of("用数据库") == ("用数", "数据", "据库")


@pytest.mark.parametrize(
    ("one", "other", "word"),
    [
        ("Our site is built with Hugo.", "I've ditched Hugo, Eleventy does it", "hugo"),
        ("Wir speichern Sicherungen im Keller.", "Die Sicherung liegt beim Nachbarn", "sicherungen"),
        ("消息走 RabbitMQ。", "RabbitMQ 撤了", "rabbitmq"),
    ],
)
def test_shared(one, other, word):
    """What both hold in some form is found."""
    assert word in shared(one, other)


def test_shared_but_for_another_use():
    """One thing used for two ends is not one matter."""
    assert "redis" in shared("We use Redis for sessions.", "Redis is gone")
    assert "redis" not in shared("We use Redis for sessions.", "No more Redis for the rate limiter")


def test_tells_change():
    """That something changed is told apart from how it stands, in words of no list."""
    assert tells_change("we dropped the old courier, it's a bike service since May") > 0.8
    assert tells_change("the courier comes twice a day and rings at the back") < 0.5


@pytest.mark.parametrize(
    ("old", "new", "field"),
    [
        ("All scripts are written in bash.", "the scripts are nushell these days", "shell"),
        ("Ich habe einen Hund.", "bei uns wohnt jetzt eine Katze", "pet"),
        ("Bebo café todo el día.", "me pasé al té", "drink"),
        ("Moro num apartamento.", "mudei de morada em maio", "home"),
        ("我用微信联系客户。", "客户都转到飞书了", "chat"),
    ],
)
def test_fields(old, new, field):
    """Two statements of one field are tied where they hold other words of it, in five languages; of two fields they are not."""
    assert field in fields_of(old).keys() & fields_of(new).keys()
    tie = tie_of(old, new, {})
    assert tie.competing > 0
    assert tie.holds
    assert not tie_of("The roof of the mill is slate.", new, {}).holds


def test_values_of_anything_tie_nothing():
    """That both name a day of the week says nothing, unless they share something else."""
    assert tie_of("The choir rehearses on Monday.", "we paint the fence on Friday from here on", {}).competing == 0
    assert tie_of("The choir rehearses on Monday.", "the choir is on Friday from here on", {}).competing > 0


def test_another_script_ties_by_names_alone():
    """What is told in another script takes up a matter by a name that both hold, never by a field alone."""
    assert not tie_of("I have a dog.", "我们家现在养猫了", {}).holds
    assert tie_of("We keep the files in Nextcloud.", "文件从 Nextcloud 搬到坚果云了", {}).holds


def test_words_of_many_tell_none_apart():
    """A rare word counts less the more of the memories hold it."""
    texts = ["The zeppelin is grey.", *(f"The zeppelin carries {number} crates." for number in range(20))]
    new = "we repainted the zeppelin, red it is"
    assert beginnings(texts)["zeppel"] == 21
    assert tie_of(texts[0], new, beginnings(texts)).rarest < tie_of(texts[0], new, {}).rarest


def test_evidence_is_weighed():
    """Log-odds rise with how surely a change is told and with what ties the two, and every weight has its evidence."""
    old, new = "Our site is built with Hugo.", "I've ditched Hugo, Eleventy does it"
    tie, compared = tie_of(old, new, {}), compare(old, new)
    assert takes_place(4.0, tie, compared) > takes_place(0.0, tie, compared)
    assert takes_place(4.0, tie, compared) > takes_place(4.0, tie_of("", "", {}), compare("", ""))
    lines = [line.split("\t")[0] for line in WEIGHTS.read_text("utf-8").splitlines() if not line.startswith("#")]
    assert lines == list(evidence(0.0, tie, compared))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("My sister lives in Turku.", "my brother has moved to Turku"),
        ("The staging database is on db-4.", "production moved to db-9"),
        ("The billing service is written in Scala.", "the search service went from Scala to Go"),
        ("O backup do banco corre às três.", "o backup das fotos passou para as seis"),
        ("La copia de la tienda va al NAS.", "la copia del taller ya no va al NAS"),
        ("订单服务用 Java 写。", "搜索服务从 Java 换成 Go 了"),
        ("I drink tea.", "our neighbours gave up tea"),
    ],
)
def test_of_another(old, new):
    """What is told of somebody or something else is no change of what is known, however alike (X-44)."""
    assert of_another(old, new)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The billing service is written in Scala.", "the billing service went from Scala to Go"),
        ("My sister lives in Turku.", "my sister has moved to Oulu"),
        ("The build takes an hour.", "with the new runners we're at nine minutes a build"),
    ],
)
def test_of_the_same(old, new):
    """What is told of the very thing is not taken for another's."""
    assert not of_another(old, new)


def test_log_odds():
    """Even odds are zero; what is impossible or certain stays finite."""
    assert log_odds(0.5) == 0
    assert -20 < log_odds(0.0) < 0 < log_odds(1.0) < 20
