"""One permanent memory for every AI tool a person uses, as plain Markdown that the person owns."""

__version__ = "0.1.0"
