"""Implementations of the ports: stores, embedders, transcripts, hosts, the clock."""
