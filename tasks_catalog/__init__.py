"""THE WORK: tasks, languages, and what is wrong with them."""
