"""The door of a team's server."""
