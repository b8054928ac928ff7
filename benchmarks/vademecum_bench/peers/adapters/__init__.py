"""Adapters, one per compared memory; each runs in a separate environment and process."""
