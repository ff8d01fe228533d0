"""THE HEAD: plans, hands out, decides, shows."""
