"""Turn files into items and passages to index. `items.py` builds them. No SQL here.

`sync/index_writer.py` writes them; the tables are in `adapters/stores/`.
"""
