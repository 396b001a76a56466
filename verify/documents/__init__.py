"""What the documents of a task say beside their criteria: sections, tables, steps, and what they bind to what."""
