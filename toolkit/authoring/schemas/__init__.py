"""JSON Schemas of policy documents for editors, made from what the interpreter's readers hold documents to."""
