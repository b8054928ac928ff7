"""An agent's notes about itself, separate from memories about the person."""
