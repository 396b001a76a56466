"""The interpreter of the policy language. Pure: bytes in, decisions out; no git, no clock, no network, no files."""
