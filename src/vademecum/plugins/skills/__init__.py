"""Skills: pointers to the person's own, and a watchlist of published ones."""
