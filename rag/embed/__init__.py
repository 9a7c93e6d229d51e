"""Text to vectors: one provider, one file, one small Protocol."""
