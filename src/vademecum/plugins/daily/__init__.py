"""Notes of days: what each conversation brought, in a note that is the person's to edit."""
