"""Rules shown at the tool calls of agents, and lessons from calls that failed.

Read in this order: `call_rules.py` reads the rules from memories, with the patterns in their own words (`own_words.py`), and drops
patterns that match too many calls (`narrow.py`); `failures.py` adds commands that failed; `ready.py` joins both into the lines of a
file; `adapters/device/ready_briefings.py` writes this file; `entrypoints/hooks/acting.py` answers a tool call from it. `calls.py` logs
the calls of captured conversations, from which `failed_calls.py` and `repeats.py` count what fails.
"""
