"""Parity decisions in the report formats that other tools read."""
