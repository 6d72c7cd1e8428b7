"""API keys, for programs that act in a superadmin's place."""
