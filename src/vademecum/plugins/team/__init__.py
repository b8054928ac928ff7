"""Sharing copies of memories in a team: server and members."""
