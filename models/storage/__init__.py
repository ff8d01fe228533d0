"""Every query of the farm; transaction.py holds the only commit."""
