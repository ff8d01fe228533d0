"""What happens now: the pace, the time left, who does what, what stands still."""
