"""Interfaces to the outside: one file for each, with its terms, its ordering guarantees and its errors.

Every port has an in-memory reference implementation in `adapters/` and one conformance suite in `tests/` for all its adapters.
"""
