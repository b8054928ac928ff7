"""Hosts (programs that run agents): the protocol of their hooks, and the files that `vade install` writes."""

from vademecum.adapters.hosts.base import CALL_WAIT_S, WAIT_S, Fields, Row, TableHost, text
from vademecum.adapters.hosts.claude_code import SHARED_WORD, groups, server
from vademecum.adapters.hosts.edits import Hooks, Listed, Member, WholeFile
from vademecum.adapters.hosts.pieces import GUIDE
