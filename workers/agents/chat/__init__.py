"""The farm's own agent: a conversation with any language model, and a shell in the sandbox."""
