"""The check ``shellcheck``: which scripts a task is about, the program, and its answers as findings."""
