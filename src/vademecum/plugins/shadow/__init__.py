"""What another recall profile would have shown."""
