"""Language data and text processing: sentences, words, patterns."""
