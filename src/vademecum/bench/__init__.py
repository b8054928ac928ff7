"""The measuring bench: a part of the product, so that anyone can check its figures on their own data."""
