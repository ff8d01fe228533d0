"""THE HANDS: one stage of one run, from lease to result."""
