"""The only way from an agent to a language model: holds the provider keys, meters and limits."""
