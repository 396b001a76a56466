"""Figures over many verifications: what the logs and the archives of a workspace add up to."""
