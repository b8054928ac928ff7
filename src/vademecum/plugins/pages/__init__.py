"""The person's own pages in a browser: the memory to look at, to correct and to throw away. Served by the helper beside the HTTP door."""
