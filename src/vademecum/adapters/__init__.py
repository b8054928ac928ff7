"""One file for each outside thing. Adapters import only `model`; `wiring` chooses among them."""
