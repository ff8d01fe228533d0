"""How a language definition becomes builds and program starts."""
