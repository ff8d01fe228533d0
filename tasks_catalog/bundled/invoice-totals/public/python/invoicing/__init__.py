"""Totals of invoices and credit notes."""
