"""Tests of the kind: migrations."""
