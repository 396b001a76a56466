"""One report type, one module a format."""
