"""One file for each thing outside: stores, embedders, transcripts, the clock. Adapters import only `model`."""
