"""The check ``archive_claim``: what an archive document claims, looked up."""
