"""Layer 1: the deterministic floor. One module a check; ``runner`` runs what the policy ``verify.floor`` lists."""
