"""Frozen pydantic types for everything that crosses a boundary, one file per noun."""
