"""What other memories know comes in, what this one knows goes out, and programs of earlier designs are served."""
