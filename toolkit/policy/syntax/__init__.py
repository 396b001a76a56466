"""YAML to a tree of places and JSON values, and edits of trees; nothing here knows what a document is."""
