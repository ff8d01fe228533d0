"""Reads documents of the settings language."""
