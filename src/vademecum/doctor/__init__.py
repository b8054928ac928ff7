"""Health checks: facts are gathered in one module, and checks judge them. Nothing is repaired here."""
