"""What is known of human languages: sentences, words, patterns."""
