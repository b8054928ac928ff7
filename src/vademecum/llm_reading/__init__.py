"""Reading conversations and comparing memories with a language model."""
