"""Proving who one is: passwords, tokens, and the credential of each request."""
