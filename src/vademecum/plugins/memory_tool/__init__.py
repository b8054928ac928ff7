"""Anthropic's memory tool: memories as files in a folder."""
