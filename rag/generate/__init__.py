"""Writing the answer: one generator, one file, one small Protocol."""
