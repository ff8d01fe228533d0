"""The farm over HTTP."""
