"""A very small ledger."""
