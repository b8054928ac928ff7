"""What is told of the memory: to a question, at the start of a session, at a prompt; and what is withheld from all of them."""
