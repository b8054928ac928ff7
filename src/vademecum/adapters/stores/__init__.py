"""Stores of the index and of device state: one folder or file for each kind of store."""
