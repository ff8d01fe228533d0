"""Tests; this file keeps tests/unit/models from being imported as models."""
