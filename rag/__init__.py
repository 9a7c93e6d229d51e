"""Lectern's library: answers questions about a textbook, from that textbook alone."""
