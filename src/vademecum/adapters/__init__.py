"""Implementations of the ports: a folder for each subject, files for the machine itself (clock, processes, installation).

A port in `ports/` says what must hold; the file or folder of the same subject here does it. `wiring` chooses among them.
"""
