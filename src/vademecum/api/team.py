"""Spaces of teams: joining, mirroring, sharing, leaving."""

from vademecum.api.station import Station, use_case
from vademecum.context.context import Context
from vademecum.plugins.team import membership


class TeamAPI(Station[Context]):
    """What a member does."""

    join = use_case(membership.join)
    leave = use_case(membership.leave)
    spaces = use_case(membership.spaces)
    share = use_case(membership.share)
    withdraw = use_case(membership.withdraw)
    mirror_all = use_case(membership.mirror_all)
    mirror = use_case(membership.mirror)
    members = use_case(membership.members)
    invite = use_case(membership.invite)
    revoke = use_case(membership.revoke)
    audit = use_case(membership.audit)
    search = use_case(membership.search)
    export = use_case(membership.export)
