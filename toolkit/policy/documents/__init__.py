"""From files to effective documents: heads, overlays, where each part comes from, what a digest covers."""
