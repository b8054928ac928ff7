"""Memory for agents over the Model Context Protocol, revisions 2025-11-25 and 2026-07-28."""
