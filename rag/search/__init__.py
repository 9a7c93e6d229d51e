"""Finding the passages: the store, lexical matching, and one pure ranking step."""
