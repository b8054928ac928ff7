"""Daily notes: a summary of each conversation, in a note that the person may edit."""
