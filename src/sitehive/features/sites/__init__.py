"""Sites: each a world of its own."""
