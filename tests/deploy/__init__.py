"""What deploy/ promises, held against real tools and a running farm."""
