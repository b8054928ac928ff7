"""A demo with sample conversations written for it: one person, one small project, several weeks."""
