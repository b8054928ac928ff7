"""The rankers that reproduce the published designs, each by the name of its profile."""
