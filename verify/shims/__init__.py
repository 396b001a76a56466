"""Shims: small scripts under the names of Datarim's shell tools, each of which runs one of our commands instead."""
