"""How a stopped workspace becomes one content-addressed snapshot."""
