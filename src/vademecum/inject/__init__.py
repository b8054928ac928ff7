"""Select and render what an agent is shown: answers, briefings at session start, hits at a prompt. Filter what is withheld."""
