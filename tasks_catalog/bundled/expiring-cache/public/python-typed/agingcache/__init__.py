"""The model of a cache."""
