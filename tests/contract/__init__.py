"""Tests of the kind: contract."""
