"""Init tasks: what the operator asked for in their own words, and every question that was answered since."""
