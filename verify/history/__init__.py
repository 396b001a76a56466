"""What Git knows of a task: the commits that belong to it and the paths that they changed."""
