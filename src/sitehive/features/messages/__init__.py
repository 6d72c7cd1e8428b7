"""Direct messages between two users of a site."""
