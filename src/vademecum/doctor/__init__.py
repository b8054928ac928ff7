"""Whether everything works: facts are gathered in one place, checks judge them. Nothing is repaired here."""
