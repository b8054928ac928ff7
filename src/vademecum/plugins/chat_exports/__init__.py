"""Conversations in exports: of ChatGPT's and Claude's accounts, of SpecStory, of agent-memory."""
