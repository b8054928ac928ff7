"""Conversations in exports: accounts of ChatGPT and Claude, agent-memory."""
