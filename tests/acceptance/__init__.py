"""Tests of the kind: acceptance."""
