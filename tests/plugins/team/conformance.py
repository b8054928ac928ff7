"""What every store of a team does: one suite for the reference and for PostgreSQL."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from itertools import count

import numpy as np
import pytest

from vademecum.domain.errors import AlreadyExists, Refused
from vademecum.plugins.team.values import Member, Published, digest_of

NINE = datetime(2026, 3, 2, 9, tzinfo=UTC)
_NUMBER = count()


def axis(number, lean=0.0):
    """A unit row that points along one axis, leaning to the next."""
    row = np.zeros(512, np.float32)
    row[number], row[number + 1] = np.sqrt(1 - lean**2), lean
    return row


def copy(identity, author="wim", title="Pump", text="The pump runs."):
    return Published(identity, author, title, text)


class TeamConformance:
    """Subclasses give `store` and `open_space`."""

    @pytest.fixture
    def space(self, store, open_space):
        """A space with a keeper, a writer and a reader, whose tokens are their names."""
        name = f"space-{next(_NUMBER)}"
        open_space(Member(name, "kim", "keeper", NINE), digest_of("kim"))
        store.add_member(Member(name, "wim", "writer", NINE), digest_of("wim"), by="kim")
        store.add_member(Member(name, "rea", "reader", NINE), digest_of("rea"), by="kim")
        return name

    def put(self, store, space, identity, *texts, by="wim", vectors=None):
        return store.publish(space, copy(identity, by, f"Title {identity}", "\n".join(texts)), texts, vectors, NINE, by=by)

    def found(self, store, space, question, vector=None, limit=9):
        return [(one.id, round(one.score, 3)) for one in store.search(space, question, vector, limit, NINE, by="rea")]

    def test_token_names_the_member(self, store, space):
        """A token opens its own space, as its member, and no other."""
        assert store.member_with(space, digest_of("wim")) == Member(space, "wim", "writer", NINE)
        assert store.member_with(space, digest_of("nobody")) is None
        assert store.member_with("elsewhere", digest_of("wim")) is None

    def test_rotated_token(self, store, space):
        """Another token takes the place of the member's own, and of nothing else; it is noted. Who was shown out rotates nothing."""
        store.rotate(space, digest_of("fresh"), NINE, by="wim")
        assert store.member_with(space, digest_of("wim")) is None
        assert store.member_with(space, digest_of("fresh")) == Member(space, "wim", "writer", NINE)
        assert store.member_with(space, digest_of("rea")).name == "rea"
        assert (store.audit(space, 1, by="kim")[0].member, store.audit(space, 1, by="kim")[0].what) == ("wim", "rotate")
        store.revoke(space, "wim", NINE, by="kim")
        with pytest.raises(Refused):
            store.rotate(space, digest_of("again"), NINE, by="wim")

    def test_member_signs_in(self, store, space):
        """A member whom single sign-on calls something is known by that, in that space, until they are shown out; nobody else by the same,
        and nobody by nothing. A program is a member too."""
        sue = Member(space, "sue", "writer", NINE, kind="service", sign_in="sue@example.org")
        store.add_member(sue, digest_of("unused"), by="kim")
        assert store.member_signed_in(space, "sue@example.org") == sue
        assert store.member_signed_in(space, "") is None
        assert store.member_signed_in("elsewhere", "sue@example.org") is None
        with pytest.raises(AlreadyExists):
            store.add_member(Member(space, "eve", "reader", NINE, sign_in="sue@example.org"), digest_of("eve"), by="kim")
        store.revoke(space, "sue", NINE, by="kim")
        assert store.member_signed_in(space, "sue@example.org") is None

    def test_one_space_of_a_name(self, store, space, open_space):
        """A space is opened once; the one that is there stays as it is."""
        with pytest.raises(AlreadyExists):
            open_space(Member(space, "eve", "keeper", NINE), digest_of("eve"))
        assert [one.name for one in store.members(space)] == ["kim", "rea", "wim"]

    def test_round_trip(self, store, space):
        """A copy comes back as it was published, in every script, with its author, its moment and its cursor."""
        sent = copy("A", title="Ψηφίο", text="---\nid: A\n---\n日本語 'quoted' \\ 🚀\n")
        cursor = store.publish(space, sent, [sent.text], None, NINE, by="wim")
        [change] = store.changes(space, 0, 10, NINE, by="rea")
        assert (change.cursor, change.id, change.at, change.copy) == (cursor, "A", NINE, sent)

    def test_cursor(self, store, space):
        """Whoever asks with the last cursor gets what changed since, in order, each copy once as it is now."""
        first, second = self.put(store, space, "A", "one"), self.put(store, space, "B", "two")
        third = self.put(store, space, "A", "one again")
        assert first < second < third
        assert [(one.cursor, one.id) for one in store.changes(space, 0, 10, NINE, by="rea")] == [(second, "B"), (third, "A")]
        assert [one.id for one in store.changes(space, 0, 1, NINE, by="rea")] == ["B"]
        assert [one.copy.text for one in store.changes(space, second, 10, NINE, by="rea")] == ["one again"]
        assert store.changes(space, third, 10, NINE, by="rea") == ()

    def test_cursor_of_what_was_lost(self, store, space):
        """Whoever asks with a cursor that was not given yet, by a store that was put back to an earlier state, gets everything."""
        last = self.put(store, space, "A", "one")
        assert [one.id for one in store.changes(space, last + 5, 10, NINE, by="rea")] == ["A"]

    def test_cursors_of_many_at_once(self, store, space):
        """Copies that are published at once have cursors of their own, and none is passed over by a reader who asks meanwhile."""
        seen: list[int] = []
        with ThreadPoolExecutor(4) as threads:
            jobs = [threads.submit(self.put, store, space, f"M{number}", "text") for number in range(12)]
            while len(seen) < 12:
                seen += [one.cursor for one in store.changes(space, seen[-1] if seen else 0, 5, NINE, by="rea")]
        assert sorted(job.result() for job in jobs) == seen == sorted(set(seen))

    def test_withdrawn(self, store, space):
        """What is withdrawn is in no answer, its text is gone, and those who had it are told by its id."""
        self.put(store, space, "A", "pump")
        cursor = store.withdraw(space, "A", NINE, by="wim")
        assert [(one.cursor, one.id, one.copy) for one in store.changes(space, 0, 10, NINE, by="rea")] == [(cursor, "A", None)]
        assert self.found(store, space, "pump") == []
        assert store.withdraw(space, "A", NINE, by="wim") == store.withdraw(space, "B", NINE, by="wim") == 0
        assert self.put(store, space, "A", "pump again") > cursor

    def test_reader_only_reads(self, store, space):
        """A reader neither publishes nor withdraws, lets nobody in, shows nobody out, and sees no audit."""
        self.put(store, space, "A", "pump")
        for act in (
            lambda: self.put(store, space, "B", "pump", by="rea"),
            lambda: store.withdraw(space, "A", NINE, by="rea"),
            lambda: store.add_member(Member(space, "rea", "keeper", NINE), digest_of("rea"), by="rea"),
            lambda: store.revoke(space, "wim", NINE, by="rea"),
            lambda: store.audit(space, 9, by="rea"),
        ):
            with pytest.raises(Refused):
                act()
        assert [one.role for one in store.members(space)] == ["keeper", "reader", "writer"]
        assert len(store.changes(space, 0, 9, NINE, by="rea")) == 1

    def test_writer_keeps_to_their_own(self, store, space):
        """A copy is changed by its author alone, nobody publishes under another's name; a keeper may withdraw it."""
        self.put(store, space, "A", "pump")
        store.add_member(Member(space, "wes", "writer", NINE), digest_of("wes"), by="kim")
        for act in (
            lambda: self.put(store, space, "A", "other", by="wes"),
            lambda: self.put(store, space, "A", "other", by="kim"),
            lambda: store.publish(space, copy("B", "wim"), [], None, NINE, by="wes"),
            lambda: store.withdraw(space, "A", NINE, by="wes"),
            lambda: store.add_member(Member(space, "eve", "reader", NINE), digest_of("eve"), by="wes"),
        ):
            with pytest.raises(Refused):
                act()
        assert store.withdraw(space, "A", NINE, by="kim") > 0
        with pytest.raises(Refused):
            self.put(store, space, "A", "taken over", by="wes")

    def test_revoked(self, store, space):
        """Who was revoked is let in nowhere and reads nothing more; invited anew they come in with the new token alone."""
        later = NINE + timedelta(days=1)
        assert store.revoke(space, "wim", later, by="kim")
        assert not store.revoke(space, "wim", later, by="kim")
        assert store.member_with(space, digest_of("wim")) is None
        assert [one.revoked for one in store.members(space)] == [None, None, later]
        for act in (
            lambda: store.changes(space, 0, 9, NINE, by="wim"),
            lambda: store.search(space, "pump", None, 9, NINE, by="wim"),
            lambda: self.put(store, space, "A", "pump"),
        ):
            with pytest.raises(Refused):
                act()
        store.add_member(Member(space, "wim", "reader", later), digest_of("new"), by="kim")
        assert store.member_with(space, digest_of("wim")) is None
        assert store.member_with(space, digest_of("new")) == Member(space, "wim", "reader", later)

    def test_leaving(self, store, space):
        """Everybody may show themselves out."""
        assert store.revoke(space, "rea", NINE, by="rea")
        assert store.member_with(space, digest_of("rea")) is None

    def test_spaces_are_apart(self, store, space, open_space):
        """A member of one space is nobody in another: reads, finds and writes nothing there."""
        self.put(store, space, "A", "pump")
        open_space(Member(f"{space}-b", "bob", "keeper", NINE), digest_of("bob"))
        assert store.changes(f"{space}-b", 0, 9, NINE, by="bob") == ()
        assert store.search(f"{space}-b", "pump", axis(0), 9, NINE, by="bob") == ()
        for act in (
            lambda: store.changes(space, 0, 9, NINE, by="bob"),
            lambda: store.search(space, "pump", None, 9, NINE, by="bob"),
            lambda: self.put(store, space, "B", "pump", by="bob"),
            lambda: store.changes("nowhere", 0, 9, NINE, by="bob"),
        ):
            with pytest.raises(Refused):
                act()

    def test_words(self, store, space):
        """Copies are found by stems, rare words before frequent ones; what has none of them is not found."""
        self.put(store, space, "A", "The pump drains the basin")
        self.put(store, space, "B", "Pumps and valves", "a basin")
        self.put(store, space, "C", "nothing of that")
        assert [identity for identity, _ in self.found(store, space, "pumping valve")] == ["B", "A"]
        assert self.found(store, space, "pumping") == [("A", 1.0), ("B", 1.0)]
        assert self.found(store, space, "zebra") == []
        assert [one.text for one in store.search(space, "basin", None, 9, NINE, by="rea")] == [
            "The pump drains the basin",
            "a basin",
        ]

    def test_words_of_any_shape(self, store, space):
        """What a question holds is a word and never syntax, in any script."""
        self.put(store, space, "A", "O'Brien's back\\slash & | ! :* <-> 日本語 parseConfig")
        for question in ("o'brien", "back\\slash", "本語", "config", "日本"):
            assert [identity for identity, _ in self.found(store, space, question)] == ["A"], question
        for question in ("' & | !", "", "\0", ":*"):
            assert self.found(store, space, question) == []

    def test_meaning(self, store, space):
        """With a vector, what is near is found without a word of the question, and words and meaning add up by their shares."""
        self.put(store, space, "A", "pump", vectors=np.stack([axis(0)]))
        self.put(store, space, "B", "basin", "well", vectors=np.stack([axis(4), axis(0, 0.8)]))
        self.put(store, space, "C", "pump")
        assert self.found(store, space, "other words", axis(0)) == [("A", 0.5), ("B", 0.3)]
        assert self.found(store, space, "pump", axis(0)) == [("A", 1.0), ("C", 0.5), ("B", 0.3)]
        assert self.found(store, space, "pump", axis(0), limit=1) == [("A", 1.0)]

    def test_published_anew(self, store, space):
        """A copy that is published again is found by its new text alone."""
        self.put(store, space, "A", "pump", "valve")
        self.put(store, space, "A", "basin")
        assert self.found(store, space, "pump") == self.found(store, space, "valve") == []
        assert self.found(store, space, "basin") == [("A", 1.0)]

    def test_audit(self, store, space):
        """The audit tells a keeper who did what, the latest first: readings that brought something, and no text."""
        self.put(store, space, "A", "pump")
        store.changes(space, 0, 9, NINE, by="rea")
        store.changes(space, 1, 9, NINE, by="rea")
        store.search(space, "pump", None, 9, NINE, by="rea")
        store.withdraw(space, "A", NINE, by="wim")
        store.revoke(space, "rea", NINE, by="kim")
        entries = [(one.member, one.what, one.subject) for one in store.audit(space, 99, by="kim")]
        assert entries == [
            ("kim", "revoke", "rea"), ("wim", "withdraw", "A"), ("rea", "search", ""), ("rea", "read", "1-1"), ("wim", "publish", "A"),
            ("kim", "invite", "rea"), ("kim", "invite", "wim"), ("kim", "open", ""),
        ]  # fmt: skip
        assert len(store.audit(space, 2, by="kim")) == 2
