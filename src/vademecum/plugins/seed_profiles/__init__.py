"""Rankers that reproduce published designs, each named after its profile."""
