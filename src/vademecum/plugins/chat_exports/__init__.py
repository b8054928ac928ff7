"""Conversations in exports: accounts of ChatGPT and Claude, SpecStory, agent-memory."""
