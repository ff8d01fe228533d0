"""How to drive each kind of system."""
