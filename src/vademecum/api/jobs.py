"""Work that is done later, and what it tells of."""

from vademecum.api.station import Station, use_case
from vademecum.context.context import Context
from vademecum.maintenance import jobs, overflow


class JobsAPI(Station[Context]):
    """The table of jobs: what each did, rounds by hand, and taking one back."""

    list = use_case(jobs.jobs)
    run = use_case(jobs.run_jobs)
    undo = use_case(jobs.undo_job)
    digest = use_case(overflow.digest)
    merge_alike = use_case(overflow.merge_alike)
