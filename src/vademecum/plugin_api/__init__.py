"""What plugins may use of the rooms of the core, one module for each subject; docs/plugins.md lists them.

A name that stands here stays, wherever the code behind it moves.
"""
