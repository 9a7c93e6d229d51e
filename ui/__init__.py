"""What the pages share: the cached tutor, the session, and how an answer is drawn."""
