"""Keep the derived copy equal to the vault: what an item is made of, and what must change. No SQL here."""
