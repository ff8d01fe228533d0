"""How tasks that were made for something else become task packages."""
