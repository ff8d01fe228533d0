"""Circuit breakers for calls to other services."""
