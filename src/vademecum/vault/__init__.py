"""The vault: Markdown files, and the only code that writes them. Every write is journaled and can be undone.

Start with `store.py`: :class:`Vault` joins the parts, and its docstring says which verb is in which file. `writer.py` carries out
every change; `frontmatter.py` edits properties in place; `reconcile.py` and `by_hand.py` read what the person changed by hand.
"""
