"""The gates of the stages: what has to be shown before a task goes on (*Self-verification*)."""
