"""A team's store on PostgreSQL with pgvector."""
