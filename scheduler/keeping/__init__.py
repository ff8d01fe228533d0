"""What keeps results for years: backups, their restoration, and what may be thrown away."""
