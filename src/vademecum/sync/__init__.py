"""Keep the index equal to the files.

Start with `index.py`: `follow` handles what changed outside, `index_written` what this program wrote. `index_writer.py` is the only
writer of the index; `embed_backlog.py` makes vectors when there is time.
"""
