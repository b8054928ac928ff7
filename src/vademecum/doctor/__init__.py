"""Health checks. `facts.py` gathers all facts, `checks.py` judges them in a table with one row per check. Nothing is repaired here."""
