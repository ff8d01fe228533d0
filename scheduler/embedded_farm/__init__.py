"""A whole farm on one machine: broker, scheduler, workers and Flower, watched by one process."""
