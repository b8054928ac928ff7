"""What the road needs from the outside: one file for each thing, with its vocabulary, its order and its errors.

Every port has an in-memory reference in `adapters/` and one conformance suite in `tests/` that all its adapters pass.
"""
