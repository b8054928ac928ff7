"""The shared dependencies of use cases."""
