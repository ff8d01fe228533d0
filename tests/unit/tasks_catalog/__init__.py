"""Unit tests of tasks_catalog."""
