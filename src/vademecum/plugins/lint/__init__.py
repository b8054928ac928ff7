"""`vade lint`: the table of checks, the checks themselves, and corrections that need no decision."""
