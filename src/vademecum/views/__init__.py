"""Pages generated from memories. `keep.py` updates them after a change, `texts.py` makes their content, plugins add more (`view.py`)."""
