"""Expectations: the wishes of a task's operator, read from their checklist, and what their statuses mean for it."""
