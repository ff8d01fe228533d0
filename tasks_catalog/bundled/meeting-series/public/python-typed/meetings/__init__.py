"""Series of meetings and when their occurrences take place."""
