"""Tests of the kind: integration."""
