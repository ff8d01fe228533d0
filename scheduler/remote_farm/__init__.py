"""A farm elsewhere, asked over HTTP."""
