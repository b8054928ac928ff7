"""Full-screen dialogues in a terminal."""
