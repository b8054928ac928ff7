"""`vade bench peers`: ask Vademecum, plain search and other memory tools the same questions.

Each runs in its own environment and process.
`table.toml` lists and pins the tools, `use_*.py` asks each by its public interface, `delivered.py` defines a right answer,
`run.py` asks and measures, `boards.py` reads the files of public suites, and `page.py` writes docs/measurements/comparison.md.
"""
