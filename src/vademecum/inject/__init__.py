"""What an agent is shown, and what is withheld from it.

Start with `deliver.py`, the entry point of hooks. It calls `at_start.py` (a briefing: `briefing.py`, `briefing_text.py`) or
`at_prompt.py` (a search: `ask.py`, `worth_showing.py`, `bundle_text.py`). `scope.py` says what is withheld, `delivered.py` what a
session was shown already. A question that an agent asks itself takes `ask.py` and `bundle.py`.
"""
