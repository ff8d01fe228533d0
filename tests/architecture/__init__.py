"""Tests of the kind: architecture."""
