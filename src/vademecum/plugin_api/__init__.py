"""The parts of the core that plugins may use, one module for each subject; docs/plugins.md lists them.

Each module exports what it imports from the core. These names are stable, even if the code behind them moves.
"""
