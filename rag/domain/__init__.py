"""The vocabulary: frozen values that validate themselves. Imports nothing else of ours."""
