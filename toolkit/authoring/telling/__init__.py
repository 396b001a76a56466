"""Answers of policies told in words: why it is this one, and what would have to be different."""
