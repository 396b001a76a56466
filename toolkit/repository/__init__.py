"""Git, and only git: running it safely, and reading commits, changes and stored bytes."""
