"""Canonical bytes, atomic files, content-addressed caches."""
