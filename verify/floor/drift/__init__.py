"""Drift: what was done held against what was planned and approved, each subtype a module (*Self-verification*)."""
