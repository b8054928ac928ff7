"""Programs in which agents run: the base of all, those of the core, and the table of all (`all_hosts.py`)."""
