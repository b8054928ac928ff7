"""Turn files into items and passages to index. `items.py` builds them, `plan.py` compares them with the index. No SQL here.

`sync/index_writer.py` writes them; the tables are in `adapters/stores/`.
"""
