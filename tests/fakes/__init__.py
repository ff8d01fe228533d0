"""Tests of the kind: fakes."""
