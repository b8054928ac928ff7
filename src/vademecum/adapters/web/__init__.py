"""Web access for researching ideas."""
