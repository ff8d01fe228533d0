"""Who gets which seat."""
