"""How folders are recognised as projects, and what projects are called: pure decisions over signs and records."""

import itertools
from datetime import UTC, datetime, timedelta

import pytest

from vademecum.domain.project import Project, Sign, distinct, free_slug, recognise, remote_key, with_sign

START = datetime(2026, 1, 1, tzinfo=UTC)
LARDER = Project("larder", START, ("example.org/ana/larder",), ("a1",), ("~/larder",))


def repository(name="larder", remote="", root="", folder="~/larder"):
    return Sign(name, remote, root, (folder,), repository=True)


@pytest.mark.parametrize("sign", [
    repository(remote="example.org/ana/larder", root="zz", folder="~/other"), repository(root="a1", folder="~/pantry"),
    repository(root="a1", remote="example.org/team/larder"), repository(root="a1"), repository(),
    repository(remote="example.org/team/larder"), Sign("larder", folders=("~/larder",)),
    Sign("x", folders=("~/larder/src",), gone=True), Sign("larder", folders=("~/.cursor/worktrees/larder",), gone=True, by_name=True),
])  # fmt: skip
def test_recognised(sign):
    """Cloned elsewhere, renamed without a remote, moved to another owner, remote gone, folder or worktree gone: the same project."""
    assert recognise(sign, [LARDER]) is LARDER


@pytest.mark.parametrize("sign", [
    repository(remote="example.org/bob/larder", root="a1", folder="~/fork"), repository(root="b2", folder="~/work/larder"),
    repository(root="b2"), repository(remote="example.org/bob/cellar"), Sign("larder", folders=("~/work/larder",)),
    Sign("src", folders=("~/larder/src",)), Sign("larder", folders=("~/larder-2/src",), gone=True),
])  # fmt: skip
def test_another(sign):
    """A fork, another repository in the same folder or of the same name, another folder of the same name: not that project."""
    assert recognise(sign, [LARDER]) is None


def test_remote_later():
    """A repository that gets a remote stays the project it was, and its clones are recognised by that from then on."""
    local = Project("larder", START, (), ("a1",), ("~/larder",))
    sign = repository(remote="example.org/ana/larder", root="a1")
    known = with_sign(recognise(sign, [local]), sign)
    assert recognise(repository(remote="example.org/ana/larder", folder="~/elsewhere"), [known]) is known


def test_template():
    """Projects begun from one template share a first commit: with remotes they stay apart, without they are their folders'."""
    one, two = (Project(name, START, (), ("a1",), (f"~/{name}",)) for name in ("one", "two"))
    assert recognise(repository("two", root="a1", folder="~/two"), [one, two]) is two
    assert recognise(repository("three", root="a1", folder="~/three"), [one, two]) is None
    assert recognise(repository("three", "example.org/ana/three", "a1", "~/three"), [LARDER]) is None


def test_short_names():
    """A name that another project has is told apart by what a person knows: owner, folder before it, at last a number."""
    remote = repository("api", "example.org/clientb/api")
    folder = repository("api", root="b2", folder="~/clientB/api")
    assert free_slug(remote, set()) == "api"
    assert free_slug(remote, {"api"}) == free_slug(folder, {"api"}) == "clientb-api"
    assert free_slug(remote, {"api", "clientb-api"}) == "example-org-clientb-api"
    assert free_slug(Sign("api", folders=("~/api",)), {"api", "api-2"}) == "api-3"


def test_devices_converge():
    """Records of several devices give the same projects in whatever order they come: one project is joined, two are told apart."""
    records = [
        Project("api", START, ("example.org/a/api",), ("a1",), ("~/a/api",)),
        Project("api", START + timedelta(hours=1), ("example.org/a/api",), (), ("~/other",)),
        Project("api", START + timedelta(hours=2), ("example.org/b/api",), ("b2",), ("~/b/api",)),
        Project("notes", START, (), (), ("~/notes",)),
    ]
    found = {distinct(order) for order in itertools.permutations(records)}
    assert len(found) == 1
    by_slug = {one.slug: one for one in found.pop()}
    assert by_slug.keys() == {"api", "b-api", "notes"}
    assert (by_slug["api"].folders, by_slug["b-api"].remotes) == (("~/a/api", "~/other"), ("example.org/b/api",))


@pytest.mark.parametrize(("one", "other"), [
    ("git@github.com:Ana/Till.git", "ssh://git@ssh.github.com:443/ana/till"),
    ("https://ana@dev.azure.com/ana/shop/_git/till", "git@ssh.dev.azure.com:v3/ana/shop/till"),
    ("https://git.example.org/scm/shop/till.git", "ssh://git@git.example.org:7999/shop/till.git"),
    ("https://www.example.org/a%20b/till", "git@example.org:a b/till.git"), ("git://[::1]:9418/till.git", "https://[::1]/till"),
])  # fmt: skip
def test_one_address(one, other):
    """One repository's addresses are one, over ssh and https, with ports, users, and what large hosts put before the owner."""
    assert remote_key(one, {}) == remote_key(other, {}) != ""
