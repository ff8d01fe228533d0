"""Systems in tiers."""
