"""Recordings of other programs, read into the farm's own steps and written out of them."""
