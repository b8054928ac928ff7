"""Skills: pointers to those that the person has, and a watchlist of those that others published."""
