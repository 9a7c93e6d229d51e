"""A book on disk becomes pages, and pages become chunks."""
