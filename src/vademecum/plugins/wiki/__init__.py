"""A wiki beside the memories: pages made of sources, events of a workflow in layers, and its log folded."""
