"""Unit tests of scheduler."""
