"""What hosts call at each of their events: a tiny client, the helper behind it, and an answer without one."""
