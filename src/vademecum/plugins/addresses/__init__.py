"""Numbers for pages, such as c-000012."""
