"""Where judged code runs."""
