"""Figures for Prometheus: the farm as its rows tell it, and this process itself."""
