"""Policies drawn: what stands in the cells of a table, as rows and columns, and machines as Mermaid diagrams."""
