"""Tests of the kind: benchmarks."""
