"""What loading holds a set to: every document read, its shape, its proofs, its pins."""
