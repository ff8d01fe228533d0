"""From counts to claims."""
