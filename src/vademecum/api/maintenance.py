"""Maintenance: sync with the files, read transcripts, rebuild, clean up, find damage."""

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from vademecum.api.station import Station, use_case
from vademecum.context.context import Context
from vademecum.domain.errors import Problem
from vademecum.domain.memory import BY_PERSON
from vademecum.ingest.discover import must_be_there
from vademecum.ingest.transcripts import CaptureReport, absorb, how_far
from vademecum.maintenance import compact as tidying
from vademecum.maintenance import feed
from vademecum.maintenance import jobs as later
from vademecum.maintenance.forget import complete
from vademecum.maintenance.guard_scan import scan
from vademecum.maintenance.jobs import BY_SOURCES
from vademecum.maintenance.projects import alike, settle
from vademecum.maintenance.rebuild import rebuild
from vademecum.maintenance.status import sizes, status
from vademecum.sessions.lifecycle import drain
from vademecum.sync import index
from vademecum.sync.index import SyncReport
from vademecum.vault.history import Devices
from vademecum.views.keep import keep_views
from vademecum.views.obsidian import type_clashes
from vademecum.views.wiki_scaffold import begin_wiki
from vademecum.write.source_notes import read_dirty


class MaintenanceAPI(Station[Context]):
    """Maintenance of files, transcripts and index."""

    refine = use_case(later.refine)
    process = use_case(later.process)
    rebuild = use_case(rebuild)
    compact = use_case(tidying.compact)
    last_compaction = use_case(tidying.last_compaction)
    status = use_case(status)
    sizes = use_case(sizes)
    drift = use_case(index.drift)
    guard_scan = use_case(scan)
    log = use_case(feed.operations)
    shown = use_case(feed.shown)
    views = use_case(keep_views)
    projects_alike = use_case(alike)
    type_clashes = use_case(type_clashes)
    begin_wiki = use_case(begin_wiki)
    transcripts_read = use_case(how_far)

    def capture(self, paths: tuple[str, ...] = (), mine: bool = True) -> CaptureReport:
        """Read new content of transcripts and source notes, index it, and propose memories.

        Raises:
            NotFound: a given path does not exist; nothing was read.
        """
        must_be_there(paths)
        problems: list[Problem] = []
        if self.context.enabled:
            settle(self.context)
            drain(self.context, problems)
        report = absorb(self.context, paths, mined=mine)
        if report.sessions:
            settle(self.context)
        if mine and not paths:
            read_dirty(self.context, by=BY_SOURCES)
        return replace(report, problems=(*problems, *report.problems))

    def sync(self, confirm_loss: bool = False, quick: bool = False) -> SyncReport:
        """Update the index from the files, and complete erasures that another device began or that were interrupted."""
        if self.context.enabled:
            complete(self.context, by=BY_PERSON)
        report = index.follow(self.context, confirm_loss=confirm_loss, quick=quick)
        settle(self.context)
        return report

    def devices(self) -> Devices:
        """Return the devices that write to the vault, and notes whose journals are missing."""
        return Devices(self.context.vault.history.devices(), self.context.vault.history.unheard())

    def guard_log(self, limit: int = 50) -> tuple[Mapping[str, Any], ...]:
        """Return what the guard redacted or blocked on this device, newest first, without the values."""
        noted = list(self.context.storage.guard_log.lines()) if self.context.storage.guard_log else []
        return tuple(reversed(noted[-limit:]))
