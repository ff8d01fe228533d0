"""Storms over a real farm: whatever is broken, nothing is lost and nothing counts twice."""
