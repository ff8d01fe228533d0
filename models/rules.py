"""The version of the grading rules, part of every universe."""

RULES_VERSION = 1
"""Raise it with every change of code that can turn the same snapshot and the same check records
into another verdict: comparison of values, deciding of check outcomes, planning or ordering of
checks, what is overlaid or protected before grading, how limits are derived, how the canonical
form of a check is built. Don't raise it for changes of evidence, wording, speed or storage.

Runs graded under different versions fall into different universes and are never aggregated; old
snapshots can be graded again under the new rules."""
