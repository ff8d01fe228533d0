"""Tests of the kind: property."""
