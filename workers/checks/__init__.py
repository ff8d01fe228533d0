"""What decides whether the work is right."""
