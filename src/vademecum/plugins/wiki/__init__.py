"""The wiki: pages made from sources, events of a layered workflow, and folding of its log."""
