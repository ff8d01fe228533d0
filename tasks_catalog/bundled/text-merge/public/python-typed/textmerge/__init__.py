"""Three-way merges of texts, line by line."""
