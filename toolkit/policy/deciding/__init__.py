"""How a table finds its row: what cells can tell apart, and the ways from facts to the rows that are left."""
