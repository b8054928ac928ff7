"""`vade bench peers`: the same questions to us, to plain search and to other memory tools, each in its own environment and process.

`table.toml` pins what is compared, `use_*.py` asks each by its public door, `delivered.py` says when an answer is right, `run.py` asks and
measures, `boards.py` reads the files of public suites, and `page.py` writes docs/comparison.md.
"""
