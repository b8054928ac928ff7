"""The values and errors of the project. Imports nothing of ours, so every other folder may import it."""
