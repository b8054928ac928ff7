"""Keep the index equal to the files.

Start with `index.py`: `follow` handles what changed outside. `index_writer.py` is the only writer of the index; its `index_written`
handles what this program wrote; `embed_backlog.py` makes vectors when there is time.
"""
