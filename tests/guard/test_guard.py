"""The guard with a policy: any value on its way out, and the way into another process."""

import pickle

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Struct

from vademecum.domain.guarding import USUAL, Policy
from vademecum.domain.item import Item, Passage
from vademecum.guard import Guard
from vademecum_bench.made_secrets import made

GUARD = Guard(USUAL)
TOKEN = "ghp_" + made(36)
MARK = "[REDACTED:github-token]"
MAIL = "ana.souza" + "@" + "larder.io"


class Answer(Struct, frozen=True):
    """What a verb may give."""

    title: str
    rows: tuple[object, ...] = ()
    more: dict[str, object] = msgspec.field(default_factory=dict)


@pytest.mark.parametrize(("value", "clean"), [
    (f"use {TOKEN}", f"use {MARK}"),
    ({"a": [f"use {TOKEN}", 3, None]}, {"a": [f"use {MARK}", 3, None]}),
    ((1, ("x", {f"use {TOKEN}"})), (1, ("x", {f"use {MARK}"}))),
    ({f"use {TOKEN}": True}, {f"use {MARK}": True}),
    ({"db_password": "tr0ub4dor&3xKq9"}, {"db_password": "[REDACTED:password]"}),
    (Answer("t", (Answer(f"use {TOKEN}"),)), Answer("t", (Answer(f"use {MARK}"),))),
    (Answer("t", more={"x": b"bytes", "y": f"use {TOKEN}"}), Answer("t", more={"x": b"bytes", "y": f"use {MARK}"})),
    ("a\u200bb", "ab"),
], ids=repr)  # fmt: skip
def test_value_is_clean(value, clean):
    """Secrets and hidden characters go out of strings wherever they stand, names of values included; the rest stays."""
    assert GUARD.clean_value(value) == clean


def test_value_without_secrets_is_the_same():
    """A value that holds nothing comes back as the very object, so looking costs no copy; parts without anything stay too."""
    item = Item(
        "memory://01", "memory", "personal", "fact/a.md", "A", "1:2", "d", "fact", passages=(Passage("The box is red."),)
    )
    value = {"hits": [item], "path": "/home/notes/fact/a.md", "etag": "fc956fcbe3de982af41a0525e4202aef"}
    assert GUARD.clean_value(value) is value
    assert GUARD.clean_value((item, f"use {TOKEN}"))[0] is item


@given(st.recursive(st.text() | st.integers() | st.none(), lambda part: st.lists(part) | st.dictionaries(st.text(), part)))
def test_value_is_clean_once(value):
    """Cleaning what is clean changes nothing."""
    once = GUARD.clean_value(value)
    assert GUARD.clean_value(once) == once


def test_policy_is_in_it():
    """Every method goes by the policy that the guard was made with."""
    strict, open_hearted = Guard(Policy(personal=frozenset({"email"}))), Guard(Policy(allowed=frozenset({TOKEN})))
    said = f"Write to {MAIL} with {TOKEN}."
    assert (
        strict.clean(said)
        == strict.clean_all([said])[0]
        == strict.clean_value([said])[0]
        == f"Write to [REDACTED:email] with {MARK}."
    )
    assert strict.judge(said, trust="user").text_clean == strict.clean_records(said.encode()).decode() == strict.clean(said)
    assert open_hearted.clean(said) == open_hearted.clean_value(said) == said
    assert strict.count_placeholders(strict.clean(said)) == 2


def test_it_goes_to_another_process():
    """What a second process is given to do is done by the person's policy."""
    there = pickle.loads(pickle.dumps(Guard(Policy(personal=frozenset({"email"})))))
    assert there.clean_records(f"mail {MAIL}\n".encode()) == b"mail [REDACTED:email]\n"
