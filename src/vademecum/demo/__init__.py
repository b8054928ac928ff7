"""A demonstration on conversations that we wrote for it: one person, one small project, several weeks."""
