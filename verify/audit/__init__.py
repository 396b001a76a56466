"""The audit log: one file a run, written once, never changed, and read back strictly."""
