"""The spec graph of a task: wishes, criteria, requirements, steps and evidence, and the rules it is held against."""
