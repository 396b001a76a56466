"""The Datarim verifier: find a task's artifacts, check them, admit findings, derive a verdict, keep the log."""
