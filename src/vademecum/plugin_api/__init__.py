"""The parts of the core that plugins may use, one module for each subject; docs/plugins.md lists them.

These names are stable, even if the code behind them moves.
"""
