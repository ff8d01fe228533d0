"""A ledger with holds, reversals and idempotency keys."""
