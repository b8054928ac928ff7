"""One file for each outside thing the rest of Vademecum talks to."""
