"""What an agent holds about itself, kept apart from what is known of the person."""
