"""Decisions with every reason."""
