"""Numbers by which pages are called, such as c-000012."""
