"""Implementations of the ports: stores, embedders, transcripts, hosts, the clock.

A port in `ports/` says what must hold; the file or folder of the same subject here does it. `wiring` chooses among them.
"""
