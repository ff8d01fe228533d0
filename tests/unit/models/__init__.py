"""Unit tests of models."""
